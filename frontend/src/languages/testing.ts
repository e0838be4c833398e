// Before each test file: English, as in the source.
import { i18n } from "@lingui/core";

i18n.load("en", {});
i18n.activate("en", "en-GB");
