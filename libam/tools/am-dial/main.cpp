// am-dial: runs a command whose MPI programs get a library loaded that dials their messages. The
// command replaces am-dial, so its exit status and signals are its own.
#include <libam/base/error.hpp>
#include <libam/tools/am-dial/options.hpp>
#include <libam/tools/messages.hpp>
#include <mpidial/environment.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>

namespace am::detail::dial {
namespace {

constexpr int not_executable = 126;
constexpr int not_found = 127;

int run(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int why = errno;
  tools::print_message("am-dial", base::format("{}: {}", command[0], base::errno_text(why)));
  return why == ENOENT ? not_found : not_executable;
}

// Why the dynamic linker would not load it into each program; empty: it would.
std::string objection_to(const std::string& library) {
  // It splits LD_PRELOAD at both.
  if (library.find_first_of(" :") != library.npos)
    return base::format("{}: a path with a blank or a colon cannot be loaded into programs",
                        library);
  const char* const now = std::getenv("LD_BIND_NOW");
  if (now != nullptr && *now != '\0')
    return "LD_BIND_NOW is set, with which programs without MPI would not start: unset it";
  return {};
}

// In front of what is loaded already.
void load_into_programs(const std::string& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  const bool none = others == nullptr || *others == '\0';
  ::setenv("LD_PRELOAD", none ? library.c_str() : base::format("{}:{}", library, others).c_str(),
           1);
}

int start(int argc, char** argv) {
  dial_options from;
  if (const auto status = read_options(argc, argv, from)) return *status;
  const std::string launcher = mpi_of_launcher(from.command[0]);
  const std::string mpi = from.mpi.empty() ? launcher : from.mpi;
  if (mpi.empty())
    return reject_usage(base::format(
        "{} is not a launcher of Open MPI or MPICH that was found here: say which MPI the program "
        "uses, with --mpi openmpi or --mpi mpich",
        from.command[0]));
  std::string where;
  const std::string library = dial_library(mpi, where);
  if (library.empty())
    return reject_usage(base::format("{} is not there: libam was built without {}", where, mpi));
  if (const std::string why = objection_to(library); !why.empty()) return reject_usage(why);
  load_into_programs(library);
  ::setenv(mpidial::dials_variable, from.dials.c_str(), 1);
  // mpirun of Open MPI gives the environment of this host to others only where it is told to.
  if (launcher == "openmpi")
    from.command.insert(from.command.begin() + 1,
                        {"-x", "LD_PRELOAD", "-x", mpidial::dials_variable});
  return run(std::move(from.command));
}

}  // namespace
}  // namespace am::detail::dial

int main(int argc, char** argv) {
  try {
    return am::detail::dial::start(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::print_message("am-dial", broken.what());
    return 2;
  }
}
