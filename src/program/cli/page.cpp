#include "cli/page.h"

#include "base/progress.h"
#include "cli/groups.h"
#include "cli/script.h"

namespace {

constexpr char kPageScript[] = "page.py";
constexpr double kSeconds = 300;  // a class of 200 takes some seconds

}  // namespace

void addPage(Flags& flags, PageFlags& page, const std::string& what) {
  flags
      .text("--html", page.html, "FILE",
            "write " + what +
                " as one HTML page, by Python with jinja2 and matplotlib; - is "
                "standard output")
      .writes = fileIn(page.html);
  flags
      .flag("--anonymous", page.anonymous,
            "in the page, replace the names of hand-ins by pseudonyms")
      .needs = "--html";
}

Page::Page(const PageFlags& flags) : flags_(flags) {
  if (flags.html.empty()) return;
  file_ = std::make_unique<OutputFile>(flags.html);
  runScript(kPageScript, {"--packages"}, {}, kSeconds, flags.html + ": no page is written");
}

void Page::write(const std::string& json, const std::string& source) const {
  if (file_ == nullptr) return;
  const Progress writing("writing " + flags_.html);
  const MemoryFile document(json), page;
  std::vector<std::string> arguments = {document.path(), "-o", page.path()};
  if (flags_.anonymous) arguments.push_back("--anonymous");
  if (flags_.reloadSeconds > 0)
    arguments.insert(arguments.end(), {"--reload", std::to_string(flags_.reloadSeconds)});
  runScript(kPageScript, arguments, {document.descriptor(), page.descriptor()}, kSeconds,
            (source.empty() ? flags_.html : source) + ": no page is written");
  file_->finish(page.read());
}
