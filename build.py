"""Build everything that follows from the specs.

    python build.py               the same as `generate`
    python build.py generate      compile formats/ into generated/
    python build.py --check       do the same aside, compare, fail on any difference
    python build.py lint          hold the specs against the house style

Specs of one's own: `python build.py generate --formats DIR --out OUT`; they may import the
project's (`/common/...`), and OUT then stands on its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT / "formats")]

from _build.compiler import CompilerUnavailable  # noqa: E402
from _build.lint import lint  # noqa: E402
from _build.products import MANIFEST, differences_from_manifest, make  # noqa: E402
from _build.specs import FORMATS, SpecError, shown  # noqa: E402

REPAIR = "python build.py generate"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0, or 1 when something is wrong."""
    parser = argparse.ArgumentParser(description="Build everything that follows from the specs.", allow_abbrev=False)
    parser.add_argument("command", nargs="?", default="generate", choices=("generate", "lint"))
    parser.add_argument("--check", action="store_true", help="compare with what is there instead of writing it")
    parser.add_argument("--formats", type=Path, default=FORMATS, metavar="DIR", help="folder with <family>/<id>.ksy")
    parser.add_argument("--out", type=Path, default=ROOT / "generated", metavar="DIR", help="where the products go")
    parser.add_argument("--compiler", type=Path, metavar="PATH", help="a kaitai-struct-compiler.js of one's own")
    parser.add_argument("--engine", choices=("dukpy", "node"), default="dukpy", help="what runs the compiler")
    options = parser.parse_args(arguments)
    try:
        if options.command == "lint":
            return _lint(options.formats)
        return _check(options) if options.check else _generate(options)
    except SpecError as error:
        print(error, file=sys.stderr)
        return 1


def _generate(options: argparse.Namespace) -> int:
    try:
        products = make(options.formats, options.engine, options.compiler)
    except CompilerUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    for path in _present(out):
        if path not in products:
            (out / path).unlink()
    for name, text in products.items():
        if not (out / name).is_file() or (out / name).read_text(encoding="utf-8") != text:
            (out / name).write_text(text, encoding="utf-8")
    print(f"{len(products)} files in {shown(out)}")
    return 0


def _check(options: argparse.Namespace) -> int:
    out: Path = options.out
    try:
        products = make(options.formats, options.engine, options.compiler)
    except CompilerUnavailable as error:
        if options.engine == "node" or not (out / MANIFEST).is_file():
            print(error, file=sys.stderr)
            return 1
        print(f"compared with the hashes of {MANIFEST} only: {error}")
        return _verdict(differences_from_manifest(options.formats, out))
    present = _present(out)
    different = {name for name in present if present[name] != products.get(name)}
    return _verdict(sorted(f"{out.name}/{name}" for name in different | (products.keys() - present.keys())))


def _present(out: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(out.iterdir()) if path.is_file()}


def _verdict(different: list[str]) -> int:
    if not different:
        print("generated files are up to date")
        return 0
    for name in different:
        print(f"{name} is not what the specs give", file=sys.stderr)
    print(f"repair it with: {REPAIR}", file=sys.stderr)
    return 1


def _lint(folder: Path) -> int:
    problems = lint(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("specs are in house style")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
