import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { ErrorNotice } from "~/components/ErrorNotice";
import classes from "./Datasets.module.css";

type Props = {
  opened: boolean;
  title: string;
  /** What will be deleted. */
  goes: string;
  change: { error: unknown; isPending: boolean; reset: () => void };
  onGo: () => void;
  onClose: () => void;
  button?: string;
};

/** Asks for confirmation, and says what will be deleted. */
export function DeleteDialog({ opened, title, goes, change, onGo, onClose, button }: Props) {
  function close() {
    change.reset();
    onClose();
  }
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <p>{goes}</p>
      {change.error !== null && change.error !== undefined && (
        <ErrorNotice title={t`Nothing was deleted`} error={change.error} />
      )}
      <div className={classes.buttons}>
        <Button onClick={onGo} disabled={change.isPending}>
          {button ?? "Delete"}
        </Button>
        <Button variant="default" onClick={close}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Modal>
  );
}
