# A recipe for Spack 1.0 or newer: in a repository of your own, as packages/libam/package.py.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Libam(CMakePackage):
    """Active Messages between processes: a message names the function that handles it where it
    arrives. With am-calibrate, which measures what a message costs."""

    homepage = "https://example.org/libam"
    git = "https://example.org/libam.git"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("static", default=False, description="Also build libam.a")
    variant("tcp", default=True, description="Messages over sockets")
    variant("ucx", default=True, description="Messages over UCX")
    variant("pmix", default=True, description="Join the jobs of mpirun and srun")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("git", type="build")
    depends_on("boost", type="build")
    depends_on("fmt", type="build")
    depends_on("xxhash", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("doctest", type="test")
    depends_on("hwloc")
    depends_on("libsodium", when="+tcp")
    depends_on("ucx@1.12:", when="+ucx")
    depends_on("pmix@4:", when="+pmix")

    conflicts("%gcc@:11", msg="libam is written in C++20: GCC 12 or newer")

    def cmake_args(self):
        modules = ("tcp", "ucx", "pmix")
        return [
            self.define_from_variant("AM_BUILD_STATIC", "static"),
            self.define("AM_WITHOUT", [name for name in modules if f"~{name}" in self.spec]),
            self.define("BUILD_TESTING", self.run_tests),
        ]
