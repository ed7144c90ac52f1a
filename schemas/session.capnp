@0xc3d28b6f19e7a045;
# What a cluster leaves on a machine so that later commands find it: one file for each process, as
# JSON, in the session folder. Written by the process, read by `slime status` and `slime stop`.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

enum ProcessRole {
  head @0;  # One for each cluster.
  node @1;  # A node that joined.
}

struct ProcessRecord {
  # A process is this one only if pid, start and boot all match: numbers are used again.
  pid         @0 :Int32;
  startTicks  @1 :UInt64;      # Clock ticks from boot to its start, field 22 of /proc/PID/stat.
  bootId      @2 :Text;        # /proc/sys/kernel/random/boot_id.
  role        @3 :ProcessRole;
  name        @4 :Text;        # Of the node, for people.
  endpoints   @5 :List(Text);  # Where it listens, such as "unix:/run/user/1000/slime/head.sock".
  startedAtUs @6 :Int64;       # Microseconds since 1970, for people.
}
