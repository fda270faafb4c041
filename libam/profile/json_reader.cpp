#include <libam/profile/json_reader.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <charconv>
#include <system_error>

namespace am::detail::profile {
namespace {

constexpr unsigned char first_visible = 0x20;

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

void json_reader::fail(std::string_view what) {
  if (good()) problem_ = base::format("{} at byte {}", what, at_);
}

char json_reader::peek() {
  if (!good()) return 0;
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool json_reader::expect(char wanted) {
  if (peek() != wanted || at_ == text_.size()) {
    fail(base::format("'{}' is missing", wanted));
    return false;
  }
  ++at_;
  return true;
}

bool json_reader::open(char bracket) {
  if (!expect(bracket)) return false;
  if (++depth_ > most_depth) fail(base::format("values are nested more than {} deep", most_depth));
  return good();
}

bool json_reader::next_of(char closing, bool first) {
  if (peek() == closing) {
    ++at_;
    --depth_;
    return false;
  }
  if (!first) (void)expect(',');
  return good();
}

bool json_reader::word(std::string_view wanted) {
  (void)peek();
  if (!good() || !text_.substr(at_).starts_with(wanted)) return false;
  at_ += wanted.size();
  return true;
}

// ---- strings ------------------------------------------------------------------------------------

// What is read here is compared with ASCII: a character of four digits that is none counts as '?'.
void json_reader::escape(std::string* into) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
  const char name = at_ < text_.size() ? text_[at_++] : '\0';
  char out = '?';
  if (name == 'u') {
    const std::string_view digits = text_.substr(at_, 4);
    unsigned code = 0;
    const auto [stopped, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc{} || stopped != digits.data() + 4)
      return fail("\\u without four digits");
    at_ += 4;
    if (code < 0x80) out = static_cast<char>(code);
  } else {
    const std::size_t known = names.find(name);
    if (name == '\0' || known == std::string_view::npos) return fail("an unknown escape");
    out = meant[known];
  }
  if (into != nullptr) *into += out;
}

void json_reader::scan_string(std::string* into) {
  if (!expect('"')) return;
  while (good()) {
    if (at_ == text_.size()) return fail("a string does not end");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < first_visible) return fail("a control character");
    ++at_;
    if (c == '"') return;
    if (c == '\\')
      escape(into);
    else if (into != nullptr)
      *into += c;
  }
}

std::string json_reader::string() {
  std::string out;
  scan_string(&out);
  return out;
}

// ---- numbers and words --------------------------------------------------------------------------

std::string_view json_reader::number_text() {
  const char first = peek();
  if (!good()) return {};
  const std::size_t begin = at_;
  const auto here = [this] { return at_ < text_.size() ? text_[at_] : '\0'; };
  const auto digits = [&] {
    if (!is_digit(here())) fail("a number is missing");
    while (is_digit(here())) ++at_;
  };
  if (first == '-') ++at_;
  if (here() == '0')
    ++at_;
  else
    digits();
  if (here() == '.') ++at_, digits();
  if (here() == 'e' || here() == 'E') {
    ++at_;
    if (here() == '+' || here() == '-') ++at_;
    digits();
  }
  return text_.substr(begin, at_ - begin);
}

double json_reader::number() {
  const std::string_view text = number_text();
  double out = 0;
  if (good() && !base::read_number(text, out)) fail("a number is too large");
  return out;
}

bool json_reader::boolean() {
  if (word("true")) return true;
  if (!word("false")) fail("true or false is missing");
  return false;
}

bool json_reader::take_null() { return word("null"); }

void json_reader::skip() {
  switch (peek()) {
    case '{': {
      if (!open('{')) return;
      for (bool first = true; next_of('}', first); first = false) {
        scan_string(nullptr);
        if (expect(':')) skip();
      }
      return;
    }
    case '[': return array([this] { skip(); });
    case '"': return scan_string(nullptr);
    case 't':
    case 'f': return void(boolean());
    case 'n':
      if (!take_null()) fail("an unknown word");
      return;
    default: (void)number_text();
  }
}

void json_reader::end() {
  (void)peek();
  if (good() && at_ < text_.size()) fail("something follows the end");
}

}  // namespace am::detail::profile
