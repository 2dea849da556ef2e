"""Builds the library of `salticid.native` with the package, where there is a compiler: cc, or the one of ziglang."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any
from zlib import crc32

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path("src/salticid/native")
FLAGS = ("-std=c99", "-O3", "-shared", "-fPIC", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-s")
"""No product is fused with a sum, so that every number is the same everywhere."""


class NativeLibrary(BuildHookInterface[Any]):
    """A wheel with the library is one for this kind of machine, for any Python; without it, one for all."""

    def dependencies(self) -> list[str]:
        """What must be installed to build it, where builds have an environment of their own."""
        return ["cffi>=2.0.0", *([] if shutil.which("cc") else ["ziglang>=0.13"])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = Path(self.root) / NATIVE / "kernels.bin"
        if not build(library):
            self.app.display_warning("no C compiler: the package works without its library, more slowly")
        elif version != "editable":
            build_data.update(pure_python=False, tag=f"py3-none-{platform_of(library)}")
            build_data["artifacts"] += [str(NATIVE / library.name), str(NATIVE / "kernels.abi")]


def platform_of(library: Path) -> str:
    """The machines that a library runs on, as the tag of a wheel names them.

    A library for Linux names the versions of glibc that it needs; 2.17 is the oldest that such tags are about.
    """
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes())]
    if not (platform.startswith("linux_") and needed):
        return platform
    return f"manylinux_2_{max(17, *needed)}_{platform.removeprefix('linux_')}"


def build(library: Path) -> bool:
    """Compile all of the folder into one library; whether that worked."""
    sources = sorted(map(str, library.parent.glob("*.c")))
    declarations = f"-DDECLARATIONS={crc32((library.parent / 'kernels.h').read_bytes())}u"
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        built = Path(folder) / library.name
        for compiler in _compilers():
            command = [*compiler, *FLAGS, declarations, "-o", str(built), *sources, "-lm"]
            if subprocess.run(command, check=False).returncode == 0:
                built.replace(library)  # at once: another may be loading it
                declare(library.with_suffix(".abi"))
                return True
    return False


def declare(file: Path) -> None:
    """Write the declarations of `kernels.h` as cffi keeps them: to parse C at each start takes longer than to load it.

    The file holds a Python literal: the keyword arguments of cffi's compiled FFI, and the checksum of the header.
    """
    from cffi import FFI  # here: a build without a compiler needs none

    header = file.with_suffix(".h").read_bytes()
    declared = re.sub(r"/\*.*?\*/|^#.*?$", "", header.decode(), flags=re.DOTALL | re.MULTILINE)
    ffi = FFI()
    ffi.set_source("kernels", None)
    ffi.cdef(re.sub(r"(const )?\w+ \*", "void *", declared))  # any array may be handed over
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        module = Path(folder) / "kernels.py"
        ffi.emit_python_code(str(module))
        call = next(node for node in ast.walk(ast.parse(module.read_bytes())) if isinstance(node, ast.Call))
        values = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        written = Path(folder) / file.name
        written.write_text(repr({"header": crc32(header), "declared": values}))
        written.replace(file)


def _compilers() -> list[list[str]]:
    found = [[path] for path in [shutil.which("cc")] if path]
    if importlib.util.find_spec("ziglang") is not None:
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found
