#include <libam/tools/am-trace/merge.hpp>

namespace am::detail::traces {
namespace {

// In quotes where a comma or a quote is in it.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char one : text) out += one == '"' ? std::string("\"\"") : std::string(1, one);
  return out + '"';
}

}  // namespace

void write_csv(job_trace& from, text_file& to) {
  to.add("rank,begin_ns,duration_ns,event,about,peer,bytes,number\n");
  from.each([&](const event& one) {
    const trace::kind type = one.type();
    const bool has_peer = is_sent(type) || is_come(type) || type == trace::kind::on_end ||
                          type == trace::kind::get || type == trace::kind::carried ||
                          type == trace::kind::clock;
    to.add("{},{:.1f},{:.1f},{},{},{},{},{}\n", one.rank(), one.begin, one.end - one.begin,
           text_of(type), field(subject_of(one)),
           has_peer ? base::format("{}", one.what->peer) : "",
           type == trace::kind::clock ? 0 : one.what->bytes,
           is_sent(type) || is_come(type) ? base::format("{}", one.what->sequence) : "");
  });
}

}  // namespace am::detail::traces
