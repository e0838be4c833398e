"""What a study hands out: a report to read (HTML, PDF) and a bundle to check, made by background jobs or commands."""
