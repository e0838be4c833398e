"""Who somebody is, may be, and is invited as: sessions, tokens, users, invitations."""
