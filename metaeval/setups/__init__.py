"""A study's set-up, taken to another study: settings, questions and analysis plan, but no people and no answers."""
