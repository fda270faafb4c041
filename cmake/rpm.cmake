# What RPM requires of the packages beside their contents (packages.cmake). The names are those of
# RPM systems, libam-devel for libam-dev; packaging/finish.cmake moves the licence where they have it.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_URL ${CPACK_PACKAGE_HOMEPAGE_URL})
set(CPACK_RPM_PACKAGE_AUTOREQPROV yes)
# Links by build identifiers are for debuggers, and belong to packages of debug information.
# Modules, and what am-dial loads, are found by their path: no package may depend on their names.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __provides_exclude_from ^/usr/lib.*/am/.*$
%global _build_id_links none")

# Folders of the system, which belong to none of these packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/${am_package_lib}
    /usr/${am_package_lib}/cmake /usr/${am_package_lib}/pkgconfig /usr/share/licenses
    /etc/default /usr/lib/systemd /usr/lib/systemd/system /usr/share/man /usr/share/man/man1 /usr/share/man/man7
    /usr/share/bash-completion /usr/share/bash-completion/completions)

function(am_rpm_control component name group)
  set(CPACK_RPM_${component}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_GROUP ${group} PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_REQUIRES "${ARGN}" PARENT_SCOPE)
  set(CPACK_RPM_${component}_USER_FILELIST "%license /usr/share/licenses/${name}/LICENSE"
      PARENT_SCOPE)
endfunction()

set(am_rpm_version "= ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}")
am_rpm_control(libam0 libam0 System/Libraries)
am_rpm_control(libam-dev libam-devel Development/Libraries "libam0 ${am_rpm_version}")
am_rpm_control(libam-ucx libam-ucx System/Libraries "libam0 ${am_rpm_version}")
am_rpm_control(libam-pmix libam-pmix System/Libraries "libam0 ${am_rpm_version}")
am_rpm_control(am-tools am-tools Development/Tools "libam0 ${am_rpm_version}")
am_rpm_control(am-peers am-peers Development/Tools "am-tools ${am_rpm_version}")
set(CPACK_RPM_libam0_PACKAGE_SUGGESTS "libam-ucx, libam-pmix")
set(CPACK_RPM_am-tools_PACKAGE_SUGGESTS am-peers)

list(APPEND CPACK_RPM_am-tools_USER_FILELIST "%config(noreplace) /etc/default/am-tools")
set(CPACK_RPM_am-tools_POST_INSTALL_SCRIPT_FILE ${am_rpm}/am-tools.post)
set(CPACK_RPM_am-tools_PRE_UNINSTALL_SCRIPT_FILE ${am_rpm}/am-tools.preun)
set(CPACK_RPM_am-tools_POST_UNINSTALL_SCRIPT_FILE ${am_rpm}/am-tools.postun)
set(CPACK_RPM_libam0_POST_INSTALL_SCRIPT_FILE ${am_rpm}/ldconfig)
set(CPACK_RPM_libam0_POST_UNINSTALL_SCRIPT_FILE ${am_rpm}/ldconfig)
