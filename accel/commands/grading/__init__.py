"""``accel grade``: run many submissions against the tests of a course, each in processes of its own."""
