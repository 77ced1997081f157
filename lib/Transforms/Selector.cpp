//===- Selector.cpp - Selection of operations by patterns -----------------===//

#include "npu/Transforms/Selector.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;
using llvm::StringRef;

template <typename... Ts>
static llvm::Error makeError(const char *format, const Ts &...values) {
  return llvm::createStringError(std::errc::invalid_argument, format,
                                 values...);
}

/// Takes `in<N>` or `out<N>` off the front of \p text.
static bool consumeOperand(StringRef &text, Selector::Operand &operand) {
  if (text.consume_front("in"))
    operand.isInput = true;
  else if (text.consume_front("out"))
    operand.isInput = false;
  else
    return false;
  return !text.empty() && llvm::isDigit(text.front()) &&
         !text.consumeInteger(10, operand.index);
}

/// Splits the operands off \p text; leaves it alone where what follows the
/// last colon has another form.
static llvm::SmallVector<Selector::Operand, 1> splitOperands(StringRef &text) {
  auto [selection, suffix] = text.rsplit(':');
  llvm::SmallVector<Selector::Operand, 1> operands;
  do {
    if (!consumeOperand(suffix, operands.emplace_back()))
      return {};
  } while (suffix.consume_front("+"));
  if (!suffix.empty())
    return {};
  text = selection;
  return operands;
}

/// The members of the class that `\d`, `\w` or `\s` stands for, as inside of
/// brackets; empty for other letters.
static StringRef getClass(char letter) {
  switch (letter) {
  case 'd':
    return "[:digit:]";
  case 'w':
    return "[:alnum:]_";
  case 's':
    return "[:space:]";
  default:
    return "";
  }
}

/// Rewrites the escape `\<letter>` for a POSIX expression, which has no classes
/// with a backslash, and no backslash at all inside of brackets.
static llvm::Error appendEscape(char letter, bool inBrackets,
                                std::string &posix) {
  if (!llvm::isAlnum(letter)) {
    if (inBrackets)
      posix.append({'[', '.', letter, '.', ']'});
    else
      posix.append({'\\', letter});
    return llvm::Error::success();
  }
  StringRef members = getClass(llvm::toLower(letter));
  bool isOpposite = llvm::isUpper(letter);
  if (members.empty() || (isOpposite && inBrackets))
    return makeError("unknown escape '\\%c'%s", letter,
                     inBrackets ? " in brackets" : "");
  if (inBrackets)
    posix += members;
  else
    posix += (llvm::Twine(isOpposite ? "[^" : "[") + members + "]").str();
  return llvm::Error::success();
}

/// Rewrites \p regex as an extended POSIX expression.
static llvm::Expected<std::string> toPosix(StringRef regex) {
  std::string posix;
  bool inBrackets = false;
  while (!regex.empty()) {
    if (regex.size() > 1 && regex.consume_front("\\")) {
      if (llvm::Error error = appendEscape(regex.front(), inBrackets, posix))
        return error;
      regex = regex.drop_front();
      continue;
    }
    size_t length = 1;
    if (!inBrackets && regex.front() == '[') {
      inBrackets = true;
      length += regex.substr(length).starts_with("^");
      // A bracket in first place is a member.
      length += regex.substr(length).starts_with("]");
    } else if (inBrackets && regex.front() == ']') {
      inBrackets = false;
    } else if (inBrackets &&
               (regex.starts_with("[:") || regex.starts_with("[.") ||
                regex.starts_with("[="))) {
      const char close[] = {regex[1], ']'};
      size_t end = regex.find(StringRef(close, 2), 2);
      length = end == StringRef::npos ? regex.size() : end + 2;
    }
    posix += regex.take_front(length);
    regex = regex.drop_front(length);
  }
  return posix;
}

static std::string wildcardsToPosix(StringRef wildcards) {
  std::string posix;
  for (char c : wildcards) {
    if (c == '*')
      posix += ".*";
    else if (c == '?')
      posix += '.';
    else
      posix += llvm::Regex::escape(StringRef(&c, 1));
  }
  return posix;
}

llvm::Error Selector::addMatcher(Kind kind, StringRef text) {
  if (text.empty())
    return makeError("expected a %s", kind == Kind::Regex ? "regular expression"
                                      : kind == Kind::Type ? "type"
                                                           : "name");
  unsigned pattern = patterns.size();
  std::string posix;
  if (kind == Kind::Regex) {
    llvm::Expected<std::string> translated = toPosix(text);
    if (!translated)
      return translated.takeError();
    posix = std::move(*translated);
  } else if (kind == Kind::Type ||
             text.find_first_of("*?") != StringRef::npos) {
    posix = wildcardsToPosix(text);
  } else {
    names[text].push_back(pattern);
    return llvm::Error::success();
  }

  llvm::Regex regex(posix);
  std::string message;
  if (!regex.isValid(message))
    return makeError("%s", message.c_str());
  matchers.push_back({pattern, kind == Kind::Type, std::move(regex)});
  return llvm::Error::success();
}

llvm::Expected<Selector> Selector::parse(StringRef list) {
  Selector selector;
  llvm::SmallVector<StringRef> texts;
  llvm::SplitString(list, texts);
  for (StringRef text : texts) {
    StringRef selection = text;
    Kind kind = selection.consume_front("re:")     ? Kind::Regex
                : selection.consume_front("type:") ? Kind::Type
                                                   : Kind::Name;
    llvm::SmallVector<Operand, 1> operands = splitOperands(selection);
    if (kind == Kind::Name && selection.ends_with(")") &&
        selection.consume_front("name-regex(")) {
      selection = selection.drop_back();
      kind = Kind::Regex;
    }
    if (llvm::Error error = selector.addMatcher(kind, selection))
      return makeError("invalid selection '%s': %s", text.str().c_str(),
                       llvm::toString(std::move(error)).c_str());
    selector.patterns.push_back({text.str(), std::move(operands)});
  }
  return selector;
}

/// POSIX matches are the longest ones from the leftmost start, so that a match
/// of the whole text is found if there is one.
static bool matchesWhole(const llvm::Regex &regex, StringRef text) {
  llvm::SmallVector<StringRef, 1> matches;
  return regex.match(text, &matches) && matches[0].size() == text.size();
}

llvm::SmallVector<unsigned> Selector::match(StringRef name,
                                            llvm::ArrayRef<std::string> aliases,
                                            StringRef type) const {
  llvm::SmallVector<unsigned> matched;
  auto lookUp = [&](StringRef key) {
    if (auto it = names.find(key); it != names.end())
      llvm::append_range(matched, it->second);
  };
  lookUp(name);
  llvm::for_each(aliases, lookUp);
  for (const Matcher &matcher : matchers) {
    auto matches = [&](StringRef text) {
      return matchesWhole(matcher.regex, text);
    };
    if (matcher.matchesType ? matches(type)
                            : matches(name) || llvm::any_of(aliases, matches))
      matched.push_back(matcher.pattern);
  }
  llvm::sort(matched);
  matched.erase(llvm::unique(matched), matched.end());
  return matched;
}
