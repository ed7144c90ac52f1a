#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace slime::tests {

/// A real file system of a few MiB, so that a disk can be full. Only this process and its children
/// see it, and it goes with them.
class SmallDisk {
 public:
  /// Makes it at `folder`, which exists. Precondition: `allowed`.
  SmallDisk(std::filesystem::path folder, std::uint64_t bytes) : folder_(std::move(folder)) {
    const std::string size = "size=" + std::to_string(bytes);
    if (::mount("slime", folder_.c_str(), "tmpfs", 0, size.c_str()) != 0)
      throw std::runtime_error("mounting a file system at " + folder_.string() + ": " +
                               std::strerror(errno));
  }
  ~SmallDisk() { ::umount2(folder_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Takes all the room but about so many bytes.
  void fill(std::uint64_t left = 0) const {
    release();
    const int file = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    const std::vector<char> page(4096, 'x');
    while (::write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size())) {
    }
    ::close(file);
    const std::uint64_t taken = std::filesystem::file_size(filler());
    std::filesystem::resize_file(filler(), taken > left ? taken - left : 0);
  }
  /// Gives that room back.
  void release() const { std::filesystem::remove(filler()); }

  /// Takes this process to a mount namespace of its own. False: it may not, as is said on stderr.
  /// Precondition: the process has one thread.
  static bool allowed() {
    const auto user = std::to_string(::getuid()), group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWNS) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return refused("a mount namespace");
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
      std::ofstream("/proc/self/gid_map") << "0 " + group + " 1";
    }
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return refused("private mounts");
    return true;
  }

 private:
  static bool refused(const std::string& what) {
    std::cerr << "skipped, for this process may not have " << what << ": " << std::strerror(errno)
              << "; run the tests as root, or where unprivileged user namespaces are allowed\n";
    return false;
  }
  std::filesystem::path filler() const { return folder_ / "filler"; }

  std::filesystem::path folder_;
};

/// A global fixture of programs that need one: without it they end with 77, which is "skipped".
struct NeedsSmallDisk {
  NeedsSmallDisk() {
    if (!SmallDisk::allowed()) std::_Exit(77);
  }
};

}  // namespace slime::tests
