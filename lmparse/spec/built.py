"""Built: loads the products of specs from elsewhere, and only unchanged products.

Products are Python code: naming a folder of products runs the code of its builder. Each module is compared with its
hash in the folder's manifest when it is loaded, so a changed, added or exchanged file does not run. The manifest is not
signed: it does not replace trust in the author of the folder.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

from lmparse.errors import LmparseError, UnknownFormatError
from lmparse.spec.documents import DocumentError, file_bytes, read_json

MANIFEST = "MANIFEST.json"
_PREFIX = "lmparse_specs_"


def package_of(folder: Path) -> str:
    """The package name for importing a folder of products. Raises UnknownFormatError LMP-S011.

    Each folder has its own name, so relative imports work, and folders never mix.
    """
    package = _PREFIX + hashlib.sha256(str(folder).encode(errors="surrogateescape")).hexdigest()[:16]
    if package not in sys.modules:
        _FINDER.hashes[package] = _hashes(folder)
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)
        module = ModuleType(package)
        module.__path__ = [str(folder)]
        sys.modules[package] = module
    return package


def imported(name: str) -> ModuleType:
    """A module of the products of lmparse or of a folder. Raises UnknownFormatError LMP-S011."""
    try:
        return importlib.import_module(name)
    except LmparseError:
        raise
    except (Exception, SystemExit) as error:  # loading a module may raise anything
        if not name.startswith(_PREFIX):
            raise
        folder = Path(sys.modules[name.partition(".")[0]].__path__[0])
        raise differs(folder, name.partition(".")[2], f"{type(error).__name__}: {error}") from None


def differs(folder: Path, name: str, found: str) -> UnknownFormatError:
    """The error of changed products."""
    text = f"{folder}: {name} is not as it was built: {found}"
    hint = f"build the spec again, from a source that you trust: lmparse build --formats DIR --out {folder}"
    return UnknownFormatError(text, code="LMP-S011", hint=hint)


def _hashes(folder: Path) -> dict[str, str]:
    """The hashes in a manifest, by file name."""
    try:
        content = read_json(file_bytes(folder / MANIFEST))
        outputs = [content["outputs"], *(entry["outputs"] for entry in content["specs"].values())]
        return {str(name): str(hash_) for entry in outputs for name, hash_ in entry.items()}
    except (OSError, DocumentError) as error:
        raise differs(folder, MANIFEST, getattr(error, "strerror", None) or str(error)) from None
    except (LookupError, TypeError, AttributeError):
        raise differs(folder, MANIFEST, "no list of hashes") from None


class _Loader(SourceLoader):
    """Loads one module from bytes with the expected hash, never from a cache of compiled code."""

    def __init__(self, folder: Path, name: str, hash_: str | None) -> None:
        self._folder = folder
        self._name = name
        self._hash = hash_

    def get_filename(self, fullname: str) -> str:
        """Path of the module, for tracebacks."""
        return str(self._folder / self._name)

    def get_data(self, path: str | bytes) -> bytes:
        """Bytes of the module. Raises UnknownFormatError LMP-S011."""
        if self._hash is None:
            raise differs(self._folder, self._name, "not in the manifest")
        try:
            data = file_bytes(self._folder / self._name)
        except (OSError, DocumentError) as error:
            raise differs(self._folder, self._name, getattr(error, "strerror", None) or str(error)) from None
        if hashlib.sha256(data).hexdigest() != self._hash:
            raise differs(self._folder, self._name, "another SHA-256 than in the manifest")
        return data


class _Finder(MetaPathFinder):
    """Finds the modules in folders of products."""

    def __init__(self) -> None:
        self.hashes: dict[str, dict[str, str]] = {}
        """Hashes by package, then by file name."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See MetaPathFinder; names of other packages are left to other finders."""
        package, _, inside = fullname.partition(".")
        hashes = self.hashes.get(package)
        if hashes is None or not inside:
            return None
        name = inside.replace(".", "/")
        is_package = f"{name}/__init__.py" in hashes
        name += "/__init__.py" if is_package else ".py"
        folder = Path(sys.modules[package].__path__[0])
        found = spec_from_loader(fullname, _Loader(folder, name, hashes.get(name)), is_package=is_package)
        if found is not None and is_package:
            found.submodule_search_locations = [str((folder / name).parent)]
        return found


_FINDER = _Finder()
