"""The places of comparisons: made, assigned, moved, shared out, and kept apart from the pilot's."""
