#include <libam/tools/am-trace/merge.hpp>

namespace am::detail::traces {
namespace {

using trace::kind;

// In quotes where a comma or a quote is in it.
void put_field(std::string_view text, text_file& to) {
  if (text.find_first_of(",\"") == text.npos) return to.put(text);
  to.put('"');
  for (const char one : text) to.put(one, one == '"' ? std::string_view("\"") : std::string_view());
  to.put('"');
}

fixed tenths(double ns) { return {nearest(ns * 10), 1}; }

bool has_peer(kind type) {
  return is_sent(type) || is_come(type) || type == kind::on_end || type == kind::get ||
         type == kind::carried || type == kind::clock;
}

// Its value takes the place of the bytes.
bool is_wide(kind type) { return type == kind::clock || type == kind::computed; }

}  // namespace

void write_csv(job_trace& from, pairing& messages, text_file& to) {
  to.put("rank,begin_ns,duration_ns,event,about,peer,bytes,number\n");
  from.each([&](const event& one) {
    messages.add(one, [](const message&) {});
    const kind type = one.type();
    to.put(one.rank(), ',', tenths(one.begin), ',', tenths(one.end - one.begin), ',', text_of(type),
           ',');
    put_field(subject_of(one), to);
    to.put(',');
    if (has_peer(type)) to.put(one.what->peer);
    to.put(',', is_wide(type) ? 0U : one.what->bytes, ',');
    if (is_sent(type) || is_come(type)) to.put(one.what->sequence);
    to.put('\n');
  });
}

}  // namespace am::detail::traces
