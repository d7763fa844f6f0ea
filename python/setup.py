"""Builds the extension keel._keel with libkeel inside: CMake makes the library, setuptools the rest."""

import glob
import os
import re
import shutil
import subprocess
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def version():
    with open(os.path.join(ROOT, "include", "keel.h"), encoding="utf-8") as header:
        return re.search(r'#define KEEL_VERSION "(.*)"', header.read()).group(1)


class BuildWithLibrary(build_ext):
    """KEEL_LIBRARY names a libkeel.a that is there already; else one is built."""

    def library(self):
        given = os.environ.get("KEEL_LIBRARY")
        if given:
            return os.path.abspath(given)
        folder = os.path.abspath(os.path.join(self.build_temp, "library"))
        cmake = shutil.which("cmake")
        if not cmake:
            raise RuntimeError("keel needs cmake 3.25 or newer and a C compiler to be built")
        options = [f"-DKEEL_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
        subprocess.run([cmake, "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options], check=True)
        jobs = str(os.cpu_count() or 1)
        subprocess.run([cmake, "--build", folder, "--target", "keel_static", "--parallel", jobs], check=True)
        return os.path.join(folder, "libkeel.a")

    def build_extension(self, extension):
        extension.extra_objects = [self.library()]
        super().build_extension(extension)


if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise RuntimeError(
        "keel needs a Python with the global interpreter lock: free-threaded ones have another ABI"
    )

setup(
    version=version(),
    ext_modules=[
        Extension(
            "keel._keel",
            sources=sorted(os.path.relpath(p, HERE) for p in glob.glob(os.path.join(HERE, "src", "*.c"))),
            depends=sorted(glob.glob(os.path.join(HERE, "src", "*.h"))),
            include_dirs=[os.path.join(ROOT, "include")],
            define_macros=[("_DEFAULT_SOURCE", None)],
            extra_compile_args=[
                "-std=c11",
                "-O2",
                "-fvisibility=hidden",
                "-ffp-contract=off",
                "-Wall",
                "-Wextra",
                "-Wno-missing-field-initializers",
                "-Wno-cast-function-type",
            ],
            extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,-z,relro,-z,now"],
            libraries=["m", "dl", "pthread"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildWithLibrary},
    options={"bdist_wheel": {"py_limited_api": "cp311"}, "build": {"build_base": "../build/python_wheel"}},
)
