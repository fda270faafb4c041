#include <libam/seam/load_module.hpp>

#include <libam/base/build.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/library_start_guard.hpp>
#include <libam/base/text.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <filesystem>

namespace am::detail::seam {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 32;

const char anchor = 0;  // in the object that libam is part of

// The folder of libam.so, or of the program that libam is linked into; argv[0] does not give it.
fs::path own_folder() {
  Dl_info object{};
  link_map* entry = nullptr;
  const bool known =
      ::dladdr1(&anchor, &object, reinterpret_cast<void**>(&entry), RTLD_DL_LINKMAP) != 0;
  const std::string_view name = known && entry != nullptr ? entry->l_name : "";
  std::error_code none;
  return (name.starts_with('/') ? fs::path(name) : fs::read_symlink("/proc/self/exe", none))
      .parent_path();
}

std::string comma_list(const std::vector<std::string>& folders) {
  std::string line;
  for (const std::string& folder : folders)
    line += (line.empty() ? "" : ", ") + std::string(base::abbreviate(folder));
  return line;
}

const module_table* open_module(const std::string& file, std::string& why) {
  const base::library_start_guard start_guard;
  void* const object = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = object == nullptr ? nullptr : ::dlsym(object, module_entry);
  if (entry == nullptr) {
    why = base::format("cannot load it: {}", ::dlerror());
    return nullptr;
  }
  const module_table* const module =
      reinterpret_cast<module_entry_fn*>(reinterpret_cast<std::uintptr_t>(entry))();
  if (module->version != base::build_version()) {
    why = base::format(
        "{} is of libam {}, and this is libam {}: AM_MODULE_PATH names the folder of "
        "its modules",
        file, module->version, base::build_version());
    return nullptr;
  }
  module->use_error_buffer(&base::thread_error_buffer);
  return module;
}

const module_table* load_module(std::string_view name, std::string_view module_path,
                                std::string& why) {
  const std::string file = find_module(name, module_path, why);
  return file.empty() ? nullptr : open_module(file, why);
}

bool is_module_name(std::string_view name) noexcept {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= longest_name &&
         name.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

std::string find_module(std::string_view name, std::string_view module_path, std::string& why) {
  if (!is_module_name(name)) {
    why = "a module's name is of at most 32 small letters, digits, _ and -";
    return {};
  }
  const std::vector<std::string> folders = module_folders(module_path);
  for (const std::string& folder : folders) {
    std::string file = base::format("{}/{}.so", folder, name);
    if (::access(file.c_str(), F_OK) == 0) return file;
  }
  why = base::format("there is no {}.so in {}: AM_MODULE_PATH names other folders", name,
                     comma_list(folders));
  return {};
}

std::vector<std::string> module_folders(std::string_view module_path) {
  // Users who start a program that has more rights than they have may not choose its code.
  if (::getauxval(AT_SECURE) != 0) return {AM_MODULES_INSTALLED};
  std::vector<std::string> folders;
  while (!module_path.empty()) {
    const std::size_t end = std::min(module_path.find(':'), module_path.size());
    if (end != 0) folders.emplace_back(module_path.substr(0, end));
    module_path.remove_prefix(std::min(end + 1, module_path.size()));
  }
  // Beside libam.so, or in the lib/ beside a program that libam is linked into; else where they
  // were installed.
  for (const char* folder : {"am", "../lib/am", AM_MODULES_INSTALLED})
    folders.push_back((own_folder() / folder).lexically_normal());
  return folders;
}

make_transport_fn* load_transport(std::string_view name, std::string_view module_path,
                                  std::string& why) {
  const module_table* const module = load_module(name, module_path, why);
  if (module == nullptr) return nullptr;
  if (module->make == nullptr) why = base::format("{}.so is not a transport", name);
  return module->make;
}

join_job_fn* load_boot(std::string_view name, std::string_view module_path, std::string& why) {
  const module_table* const module = load_module(name, module_path, why);
  if (module == nullptr) return nullptr;
  if (module->join == nullptr) why = base::format("{}.so is not a boot module", name);
  return module->join;
}

}  // namespace am::detail::seam
