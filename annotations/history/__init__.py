"""What happened and who has seen what: the event log, the security log, looks at distributions."""
