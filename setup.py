"""The compiled kernel; everything else about the package is in pyproject.toml."""

from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

kernel = Extension(
    "search._kernel",
    sources=["csrc/_kernel.pyx", *sorted(f for f in glob("csrc/*.c") if not f.endswith("_kernel.c"))],
    depends=sorted(glob("csrc/*.h") + glob("csrc/*.pxi")),
    include_dirs=["csrc"],
    extra_compile_args=["-O3", "-std=gnu11", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Wno-unused-parameter"],
)

setup(
    ext_modules=cythonize(
        [kernel],
        language_level=3,
        compiler_directives={"boundscheck": False, "wraparound": False, "embedsignature": True},
    )
)
