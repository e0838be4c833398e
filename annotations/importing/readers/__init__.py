"""One file per format. Each registers its readers in `annotations.importing.formats`."""
