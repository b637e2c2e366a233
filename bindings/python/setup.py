"""Builds the wheel: cargo makes the library and the extension, and they are put beside the Python files.

Needs the whole repository, and cargo. Whoever installs the wheel needs neither.

    KEEPMIND_WHEEL_PROFILE    the cargo profile; `release` when left out
    KEEPMIND_WHEEL_FEATURES   features of the library, a comma between them; `postgres` when left out
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

REPOSITORY = Path(__file__).resolve().parents[2]


def installed_name() -> str:
    """What the library is called inside the package; `keepmind._library` looks for the same name."""
    return {"darwin": "libkeepmind.dylib", "win32": "keepmind.dll"}.get(sys.platform, "libkeepmind.so")


def workspace_version() -> str:
    """The version of the Rust workspace: there is only one."""
    manifest = REPOSITORY / "Cargo.toml"
    if not manifest.is_file():
        sys.exit("keepmind: a wheel is built inside a clone of the whole repository")
    return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["workspace"]["package"]["version"])


# Every CPython with the interpreter's lock imports a file of this name; another Python does without.
EXTENSION = "_quick.pyd" if sys.platform == "win32" else "_quick.abi3.so"


def compiled(package: str, *options: str) -> Path:
    """Runs cargo, and answers where the package's shared library lies."""
    if shutil.which("cargo") is None:
        sys.exit("keepmind: cargo is needed to build a wheel, see https://rustup.rs")
    profile = os.environ.get("KEEPMIND_WHEEL_PROFILE", "release")
    command = ["cargo", "build", "--locked", "--package", package, *options]
    command += ["--profile", profile, "--message-format", "json-render-diagnostics"]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True, text=True)
    for line in done.stdout.splitlines():
        said = json.loads(line)
        if said["reason"] == "compiler-artifact" and said["target"]["name"] == package.replace("-", "_"):
            for name in said["filenames"]:
                if name.endswith((".so", ".dylib", ".dll")):
                    return Path(name)
    sys.exit(f"keepmind: cargo built no shared library of {package}")


class BuildWithLibrary(build_py):
    """Puts the library and the extension beside the Python files."""

    def run(self) -> None:
        # What an earlier build left behind does not belong in the wheel.
        shutil.rmtree(Path(self.build_lib, "keepmind"), ignore_errors=True)
        super().run()
        # Files of an editable install are the source's own: there KEEPMIND_LIBRARY says where it lies.
        if not self.editable_mode:
            package = Path(self.build_lib, "keepmind")
            # Who installs a wheel cannot build one with more in it, so PostgreSQL is in.
            features = os.environ.get("KEEPMIND_WHEEL_FEATURES", "postgres")
            shutil.copyfile(compiled("keepmind-ffi", "--features", features), package / installed_name())
            shutil.copyfile(compiled("keepmind-python"), package / EXTENSION)


class PlatformWheel(bdist_wheel):
    """A wheel for one platform and every Python: ctypes asks nothing of the interpreter's own ABI, and the extension keeps to
    what all of CPython's have in common."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "py3", "none", self.many_linux(platform)

    def many_linux(self, platform: str) -> str:
        """The tag that says which glibc they need, so that pip refuses them where they cannot load."""
        files = [Path(self.bdist_dir, "keepmind", name) for name in (installed_name(), EXTENSION)]
        if self.plat_name_supplied or not platform.startswith("linux_") or not all(file.is_file() for file in files):
            return platform
        held = b"".join(file.read_bytes() for file in files)
        needed = re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", held)
        if not needed:
            return platform
        return platform.replace("linux_", f"manylinux_2_{max(map(int, needed))}_", 1)


class DistributionWithLibrary(Distribution):
    """Says that the package is not pure, so that it is installed where such packages go."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    version=workspace_version(),
    distclass=DistributionWithLibrary,
    options={"build": {"build_base": str(REPOSITORY / "target" / "python-build")}},
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
)
