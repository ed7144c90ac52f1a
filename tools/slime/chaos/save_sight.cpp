#include "tools/slime/chaos/save_sight.hpp"

#include <system_error>

namespace slime::tools {

namespace fs = std::filesystem;

bool is_saving(const fs::path& checkpoints) {
  // Whatever vanishes while it is looked at was not being written any more.
  std::error_code gone;
  for (fs::directory_iterator store(checkpoints, gone), end; !gone && store != end;
       store.increment(gone)) {
    std::error_code none;
    for (fs::directory_iterator file(store->path() / "staging", none); !none && file != end;
         file.increment(none))
      if (file->path().extension() == ".sst") return true;
  }
  return false;
}

}  // namespace slime::tools
