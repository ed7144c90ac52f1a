"""The pace and the ideal time of tools/bench/ddp_training.py; training itself needs PyTorch."""

import pathlib
import sys
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "bench"))
import ddp_training  # noqa: E402


def pace(worker=1, **emulate):
    return ddp_training.Pace({"sample_us": 100, "speeds": [1.0, 0.5], **emulate}, worker, seed=1)


class PaceTest(unittest.TestCase):
    def test_a_slow_worker_takes_longer(self):
        self.assertAlmostEqual(pace(0).duration(1000, 0), 0.1)
        self.assertAlmostEqual(pace(1).duration(1000, 0), 0.2)
        self.assertAlmostEqual(pace(2).duration(1000, 0), 0.1)

    def test_changes_and_stalls_are_lived_through(self):
        change = {"worker": 1, "at_seconds": 2.0, "speed": 1.0}
        stall = {"worker": 1, "at_seconds": 3.0, "for_seconds": 1.0}
        slowed = pace(changes=[change], stalls=[stall, {**stall, "worker": 0}])
        self.assertAlmostEqual(slowed.duration(10_000, 0), 2.0)
        self.assertAlmostEqual(slowed.duration(5000, 2.8), 1.5)
        self.assertAlmostEqual(slowed.duration(1, 3.5), 0.5001)

    def test_noise_scatters_about_one(self):
        noisy = pace(0, noise=0.2)
        times = sorted(noisy.duration(1000, 0) for _ in range(1001))
        self.assertNotEqual(times[0], times[-1])
        self.assertAlmostEqual(times[500], 0.1, delta=0.004)

    def test_the_ideal_uses_every_worker_to_the_end(self):
        paces = [pace(0), pace(1)]
        self.assertAlmostEqual(ddp_training.ideal_seconds(paces, 15_000), 1.0, places=6)
        stall = {"worker": 0, "at_seconds": 0.5, "for_seconds": 2.0}
        paces = [pace(0, stalls=[stall]), pace(1)]
        self.assertAlmostEqual(ddp_training.ideal_seconds(paces, 15_000), 2.0, places=6)


class SettingsTest(unittest.TestCase):
    def test_a_setting_replaces_what_the_file_says_and_nothing_else(self):
        job = {"epochs": 8, "emulate": {"sample_us": 300, "speeds": [1.0]}}
        ddp_training.merge(job, tomllib.loads("emulate.sample_us=20"))
        ddp_training.merge(job, tomllib.loads("epochs=1"))
        self.assertEqual(job, {"epochs": 1, "emulate": {"sample_us": 20, "speeds": [1.0]}})


if __name__ == "__main__":
    unittest.main()
