"""The compiled kernel; everything else about the package is in pyproject.toml."""

import hashlib
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

code = sorted(f for f in glob("csrc/*.c") if not f.endswith("_kernel.c"))
included = sorted(glob("csrc/*.h") + glob("csrc/*.pxi"))


def digest(files):
    """A fingerprint of the sources, compiled in: search/build.py compares it between machines."""
    whole = hashlib.sha256()
    for name in files:
        whole.update(b"%s %s" % (Path(name).name.encode(), hashlib.sha256(Path(name).read_bytes()).digest()))
    return whole.hexdigest()[:16]


kernel = Extension(
    "search._kernel",
    sources=["csrc/_kernel.pyx", *code],
    depends=included,
    include_dirs=["csrc"],
    define_macros=[("BEGGAR_SOURCES", f'"{digest(["csrc/_kernel.pyx", *code, *included])}"')],
    extra_compile_args=["-O3", "-std=gnu11", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Wno-unused-parameter"],
)

setup(
    ext_modules=cythonize(
        [kernel],
        language_level=3,
        compiler_directives={"boundscheck": False, "wraparound": False, "embedsignature": True},
    )
)
