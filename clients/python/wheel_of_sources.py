"""Builds the wheel and the source archive of this folder for pip and other installers (PEP 517). The facts come from pyproject.toml."""

import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

_HERE = pathlib.Path(__file__).parent


def _fact(name):
    text = (_HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{name} = "(.*)"$', text, re.MULTILINE).group(1)


def _full_name():
    return _fact("name").replace("-", "_") + "-" + _fact("version")


def _metadata():
    return (
        "Metadata-Version: 2.4\n"
        f"Name: {_fact('name')}\nVersion: {_fact('version')}\nSummary: {_fact('description')}\n"
        f"License-Expression: {_fact('license')}\nRequires-Python: {_fact('requires-python')}\n"
        "Description-Content-Type: text/markdown\n\n" + (_HERE / "README.md").read_text(encoding="utf-8")
    )


def _sources():
    return sorted(path for path in (_HERE / "src" / "interlock").iterdir() if path.suffix == ".py" or path.name == "py.typed")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = _full_name() + ".dist-info/"
    files = {f"interlock/{path.name}": path.read_bytes() for path in _sources()}
    files[info + "METADATA"] = _metadata().encode()
    files[info + "WHEEL"] = b"Wheel-Version: 1.0\nGenerator: interlock\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, content in files.items()
    )
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    wheel = _full_name() + "-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    name = _full_name() + ".tar.gz"
    files = {path.relative_to(_HERE).as_posix(): path.read_bytes() for path in _sources()}
    files.update({each: (_HERE / each).read_bytes() for each in ("README.md", "pyproject.toml", "wheel_of_sources.py")})
    files["PKG-INFO"] = _metadata().encode()
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{_full_name()}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return name
