package io.interlock.ui;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Our JavaScript as it is served means what it meant. */
class ThinTest {

    @Test
    void commentsAndSpaceAreGoneButNotFromTexts() {
        assertThat(thin("// said to people\nconst sum = a + b; /* and this */ use(sum);"))
                .isEqualTo("let c=a+b;use(c);");
        assertThat(thin("const told = '// no comment';\n\n  use(told);")).isEqualTo("let a='// no comment';use(a);");
        assertThat(thin("const words = /[/'`]+ \\/x/g.test(text); use(words);"))
                .isEqualTo("let a=/[/'`]+ \\/x/g.test(text);use(a);");
        assertThat(thin("use([\n  { key: 'a', },\n  'b',\n], ',}');")).isEqualTo("use([{key:'a'},'b'],',}');");
        assertThat(thin("const number = bytes / 2 / (parts - -1); use(number);"))
                .isEqualTo("let a=bytes/2/(parts- -1);use(a);");
    }

    @Test
    void whatIsExportedAndWhatBelongsToTheBrowserKeepsItsName() {
        assertThat(thin("export const shown = hidden => hidden + shown + document.title;"))
                .isEqualTo("export let shown=a=>a+shown+document.title;");
        assertThat(thin("function own(value) { return value; }\nexport { own };"))
                .isEqualTo("function own(a){return a}export{own};");
    }

    @Test
    void propertiesKeepTheirNamesAlsoWhereAVariableIsCalledTheSame() {
        assertThat(thin("const { key, job: work } = run; use(key, key, key, work, work);"))
                .isEqualTo("let{key:a,job:b}=run;use(a,a,a,b,b);");
        assertThat(
                        thin(
                                "export const make = reason => ({ reason, key: reason.key, reason2: reason ? reason : null });"))
                .isEqualTo("export let make=a=>({reason:a,key:a.key,reason2:a?a:null});");
        assertThat(thin("const page = { title: () => page.title, async load(state) { return state.q; } };"))
                .isEqualTo("let a={title:()=>a.title,async load(b){return b.q}};");
        assertThat(thin("if (live) { place = id || place; }")).isEqualTo("if(live){place=id||place}");
    }

    @Test
    void importsAreRenamedWhereThatIsShorter() {
        assertThat(thin("import { html, id } from './x.js'; use(html, html, html, html, id);"))
                .isEqualTo("import{html as a,id}from'./x.js';use(a,a,a,a,id);");
    }

    @Test
    void declarationsInARowAreOne() {
        assertThat(thin("const first = 1; let second = 2; use(first, second); const third = {}; use(third);"))
                .isEqualTo("let a=1,b=2;use(a,b);let c={};use(c);");
        assertThat(thin("export const one = () => { use(); };\nexport const two = 2;"))
                .isEqualTo("export let one=()=>{use()},two=2;");
    }

    @Test
    void textOfTemplatesStaysAndWhatIsPutIntoThemIsRenamed() {
        assertThat(
                        thin(
                                "const row = name => html`<b>${name}</b>\n    <i title=\"name\">// ${name ? `<u>${name}</u>` : ''}</i>`;"))
                .isEqualTo("let b=a=>html`<b>${a}</b>\n<i title=\"name\">// ${a?`<u>${a}</u>`:''}</i>`;");
        assertThat(thin("const cells = rows.map(row => { const cell = row.cell; return html`${{ cell }}`; });"))
                .isEqualTo("let b=rows.map(a=>{let cell=a.cell;return html`${{cell}}`});");
    }

    private static String thin(String source) {
        return Thin.of(source).stripTrailing();
    }
}
