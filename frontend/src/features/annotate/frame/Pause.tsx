import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useEffect, useSyncExternalStore } from "react";
import { Dialog } from "~/components/Dialog";
import classes from "./Pause.module.css";
import { pausing } from "./pausing";

/** A break: the confidential text is hidden, and the clock stops, until a key is pressed. */
export function Pause() {
  const { t } = useLingui();
  const paused = useSyncExternalStore(pausing.subscribe, pausing.now);
  useEffect(() => {
    // Removed, not just covered, so that neither a screen reader nor a search in the page finds the text.
    document.documentElement.toggleAttribute("data-paused", paused);
  }, [paused]);
  useEffect(() => () => pausing.set(false), []);
  const goOn = () => pausing.set(false);
  return (
    <>
      <button type="button" className="linklike small" onClick={() => pausing.set(true)}>
        <Trans>Pause</Trans>
      </button>
      <Dialog
        opened={paused}
        onClose={goOn}
        fullScreen
        withCloseButton={false}
        attributes={{ content: { "aria-label": t`Pause` } }}
        transitionProps={{ duration: 0 }}
        classNames={{ body: classes.body ?? "" }}
      >
        <h2>
          <Trans>Pause</Trans>
        </h2>
        <p>
          <Trans>
            Your answers are saved, and what you have entered stays as it is. The text is hidden,
            and this time does not count.
          </Trans>
        </p>
        <Button onClick={goOn} data-autofocus>
          <Trans>Resume</Trans>
        </Button>
        <p className="soft small">
          <Trans>
            <kbd>Enter</kbd> or <kbd>Esc</kbd> to continue
          </Trans>
        </p>
      </Dialog>
    </>
  );
}
