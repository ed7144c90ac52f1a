@0xd7b2f05e91c84a36;
# What a store says of itself on disk, beside what it keeps.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct ClosedStore {
  # The files of a store, without those that have checksums in RocksDB's bookkeeping, as its writer
  # left them. Lies sealed in the file CLOSED while the store has no writer.
  files @0 :List(ClosedFile);
}

struct ClosedFile {
  name     @0 :Text;    # In the store's folder.
  bytes    @1 :UInt64;
  checksum @2 :UInt32;  # CRC-32 of all of them.
}
