package io.interlock.browser;

import com.microsoft.playwright.Page;
import java.util.List;

/** What axe does not see: words broken in their middle, and text in the colour of its ground. */
final class Layout {

    /** Words of up to 28 letters that stand in two lines, except in output, which may break anywhere. */
    private static final String BROKEN_WORDS = """
            () => {
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              const broken = [];
              for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                if (!node.parentElement.checkVisibility() || node.parentElement.closest('pre,script,noscript,svg,#announce')) continue;
                for (const word of node.data.matchAll(/[\\p{L}\\p{N}_]{2,28}/gu)) {
                  const range = document.createRange();
                  range.setStart(node, word.index);
                  range.setEnd(node, word.index + word[0].length);
                  if (new Set([...range.getClientRects()].filter(each => each.width > 0).map(each => Math.round(each.top))).size > 1) broken.push(word[0]);
                }
              }
              return broken;
            }""";

    /** Texts whose colour hardly differs from what is behind them. */
    private static final String UNSEEN_TEXT = """
            () => {
              const parts = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
              const light = ([r, g, b]) => [r, g, b].map(each => each / 255).map(each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
                .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
              const ground = element => {
                for (let each = element; each; each = each.parentElement) {
                  const colour = parts(getComputedStyle(each).backgroundColor);
                  if (colour.length === 3 || colour[3] > 0.5) return colour;
                }
                return [255, 255, 255];
              };
              return [...document.querySelectorAll('body *')].filter(each => each.checkVisibility() && !each.closest('svg,.skip,#announce') && [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim())).filter(each => {
                const style = getComputedStyle(each);
                if (parseFloat(style.fontSize) === 0) return false;
                const [a, b] = [light(parts(style.color)), light(ground(each))];
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 1.5;
              }).map(each => each.outerHTML.slice(0, 120));
            }""";

    private Layout() {}

    static List<?> brokenWords(Page page) {
        return (List<?>) page.evaluate(BROKEN_WORDS);
    }

    static List<?> unseenText(Page page) {
        return (List<?>) page.evaluate(UNSEEN_TEXT);
    }
}
