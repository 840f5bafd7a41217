"""conan create packaging/conan        in the unpacked release, which has stb_ds.h; Conan 2"""
import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.files import copy, load


class ContactConan(ConanFile):
    name = "contact-h"
    description = "Deformable and rigid bodies in contact, one C file"
    license = "MIT-0 OR Unlicense"
    topics = ("physics", "contact", "cloth", "soft-body", "header-only")
    package_type = "header-library"
    no_copy_source = True
    files = ("contact.h", "contact.c", "stb_ds.h", "LICENSE")

    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        """The one of the banner, the first line of contact.h."""
        with open(os.path.join(self._root(), "contact.h"), encoding="ascii") as f:
            self.version = re.match(r"/\* contact\.h -- version ([0-9.]+),", f.readline()).group(1)

    def export_sources(self):
        for name in self.files:
            if not copy(self, name, src=self._root(), dst=self.export_sources_folder):
                raise ConanException("%s is not in %s; FIX: run make dist and take the recipe of its archive" % (name, self._root()))

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for name in self.files[:3]:
            copy(self, name, src=self.source_folder, dst=os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "contact")
        self.cpp_info.set_property("cmake_target_name", "contact::contact")
        self.cpp_info.set_property("pkg_config_name", "contact")
        if self.settings_os() != "Windows":
            self.cpp_info.system_libs = ["m"]

    def settings_os(self):
        return self.settings.get_safe("os") if self.settings else None
