// AM_DIAL: what messages cost beyond what they cost by themselves, as if the network were slower.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace am::detail::base {

// Times in nanoseconds; 0: as it is. The overheads and the latency are added, or the whole that
// there will be; the gaps are added, or the least that there will be, as the time of a byte is.
struct dials {
  double o_s = 0;
  double o_r = 0;
  double L = 0;
  bool whole_o_s = false;
  bool whole_o_r = false;
  bool whole_L = false;
  double g_s = 0;
  double g_r = 0;
  bool added_g_s = false;
  bool added_g_r = false;
  double G = 0;  // of a byte

  // Files of functions, whose times are added (transports/dial/delay_function.hpp); empty: none.
  std::string o_s_file;
  std::string o_r_file;
  std::string L_file;
  std::string g_s_file;
  std::string g_r_file;

  // The card cuts messages into fragments of so many bytes, and its time of a byte is that of
  // fragments of more than `threshold` bytes.
  std::uint32_t fragment = 4096;
  std::uint32_t threshold = 256;

  bool set = false;  // also where all of them are 0
};

inline constexpr std::string_view dials_range =
    "a list of o_s=T, o_r=T, L=T (the whole, or with +T added), g_s=T, g_r=T (the least, or with "
    "+T added), G=T (the least, for a byte), with T in ns, us, ms or s; o and g stand for both "
    "ends; +@FILE for T adds the function in a file, except of G; fragment=BYTES, "
    "threshold=BYTES; or 0";

// "10us": a number with its unit, 10 s at most. False: `text` is none.
bool read_time(std::string_view text, double& ns) noexcept;

// "L=+10us,g=5us,o=1us". False: `list` is not valid.
bool read_dials(std::string_view list, dials& out) noexcept;

// Why these dials, which are valid, are not for programs over MPI; empty: they are.
std::string objection_over_mpi(const dials& of);

}  // namespace am::detail::base
