"""Build everything that follows from the specs.

    python build.py               the same as `generate`
    python build.py generate      compile formats/ into generated/
    python build.py --check       do the same aside, compare, fail on any difference
    python build.py lint          hold the specs against the house style
    python build.py new acme_log  begin a spec: a skeleton with a good and a bad case

Specs of one's own: `python build.py generate --formats DIR --out OUT`; they may import the
project's (`/common/...`), and OUT then stands on its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from lmparse.spec.build.compiler import CompilerUnavailable, CompilerUnfit  # noqa: E402
from lmparse.spec.build.lint import lint  # noqa: E402
from lmparse.spec.build.new import Refused, new  # noqa: E402
from lmparse.spec.build.products import DEBUG, MANIFEST, differences_from_manifest, files_in, make  # noqa: E402
from lmparse.spec.build.specs import FORMATS, SpecError, shown  # noqa: E402

GENERATED = ROOT / "generated"
REPAIR = "python build.py generate"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0, or 1 when something is wrong."""
    options = _options(arguments)
    try:
        if options.command == "lint":
            return _lint(options.formats)
        if options.command == "new":
            print("\n".join(new(options.id)))
            return 0
        return _check(options) if options.check else _generate(options)
    except (SpecError, CompilerUnavailable, CompilerUnfit, Refused) as error:
        print(error, file=sys.stderr)
        return 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build everything that follows from the specs.", allow_abbrev=False)
    parser.add_argument("command", nargs="?", default="generate", choices=("generate", "lint", "new"))
    parser.add_argument("id", nargs="?", metavar="ID", help="of the spec to begin, <family>_<thing>")
    parser.add_argument("--check", action="store_true", help="compare with what is there instead of writing it")
    parser.add_argument("--formats", type=Path, default=FORMATS, metavar="DIR", help="folder with <family>/<id>.ksy")
    parser.add_argument("--out", type=Path, default=GENERATED, metavar="DIR", help="where the products go")
    parser.add_argument("--compiler", type=Path, metavar="PATH", help="a kaitai-struct-compiler.js of one's own")
    parser.add_argument("--engine", choices=("dukpy", "node"), default="dukpy", help="what runs the compiler")
    options = parser.parse_args(arguments)
    is_own = options.formats.resolve() != FORMATS
    if (options.command == "new") != (options.id is not None):
        parser.error("new takes the id of a spec, <family>_<thing>; the other commands take none")
    if options.command == "new" and is_own:
        parser.error(f"new begins a spec in {shown(FORMATS)}, where the tests are that go with it")
    if options.command == "generate" and is_own and options.out.resolve() == GENERATED:
        parser.error(f"give --out as well: {shown(GENERATED)} holds what the project's own specs give")
    return options


def _generate(options: argparse.Namespace) -> int:
    out: Path = options.out
    present = files_in(out)
    if _is_foreign(out, present):
        print(f"{shown(out)} holds files that are not from here: give another --out, or empty it", file=sys.stderr)
        return 1
    products = make(options.formats, options.engine, options.compiler)
    (out / DEBUG).mkdir(parents=True, exist_ok=True)
    for name in present.keys() - products.keys():
        (out / name).unlink()
    for name, text in products.items():
        data = text.encode()
        if present.get(name) != data:
            (out / name).write_bytes(data)
    print(f"{len(products)} files in {shown(out)}")
    return 0


def _is_foreign(out: Path, present: dict[str, bytes]) -> bool:
    """Whether files lie there that are somebody else's: whatever is no product gets removed."""
    if out.exists() and not out.is_dir():
        return True
    return bool(present) and MANIFEST not in present and out.resolve() != GENERATED


def _check(options: argparse.Namespace) -> int:
    out: Path = options.out
    try:
        products = make(options.formats, options.engine, options.compiler)
    except CompilerUnavailable as error:
        if options.engine == "node" or not (out / MANIFEST).is_file():
            raise
        print(f"compared with the hashes of {MANIFEST} only: {error}")
        return _verdict(differences_from_manifest(options.formats, out), options)
    present = files_in(out)
    names = sorted(present.keys() | products.keys())
    different = [name for name in names if name not in products or present.get(name) != products[name].encode()]
    return _verdict([f"{out.name}/{name}" for name in different], options)


def _verdict(different: list[str], options: argparse.Namespace) -> int:
    if not different:
        print("generated files are up to date")
        return 0
    for name in different:
        print(f"{name} is not what the specs give", file=sys.stderr)
    own = "" if options.out.resolve() == GENERATED else f" --formats {options.formats} --out {options.out}"
    print(f"repair it with: {REPAIR}{own}", file=sys.stderr)
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
