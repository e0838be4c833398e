import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { canUsePasskeys } from "~/api/passkeys";
import { Table } from "~/components/lists/Table";
import { moment } from "~/components/words";
import { EndTokens } from "./EndTokens";
import { Sure } from "./Sure";
import { usePasskeyActs } from "./secondFactor";

type Passkey = { id: number; name: string; created_at: string; last_used_at: string | null };
type Props = {
  passkeys: Passkey[];
  /** Whether the server is where browsers allow passkeys. */
  arePossible: boolean;
  onCodes: (codes: string[]) => void;
};

/** The person's passkeys: adding, naming and removing them. */
export function Passkeys({ passkeys, arePossible, onCodes }: Props) {
  const { t } = useLingui();
  const { add, remove } = usePasskeyActs();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const [name, setName] = useState("");
  const [endsTokens, setEndsTokens] = useState(true);
  const canAdd = arePossible && canUsePasskeys();

  const removeLabel = ({ name }: Passkey) => t`Remove the passkey: ${name}`;

  function close() {
    add.reset();
    remove.reset();
    setAdding(false);
    setRemoving(null);
    setName("");
    setEndsTokens(true);
  }

  return (
    <>
      <h3>
        <Trans>Passkeys</Trans>
      </h3>
      {passkeys.length > 0 && (
        <Table
          caption={t`Passkeys`}
          rows={passkeys}
          keyOf={(one) => one.id}
          empty={t`None.`}
          columns={[
            { name: t`Name`, heads: true, cell: (one) => <bdi>{one.name}</bdi> },
            { name: t`Added`, numeric: true, cell: (one) => moment(one.created_at) },
            {
              name: t`Last used`,
              numeric: true,
              cell: (one) => (one.last_used_at ? moment(one.last_used_at) : t`never`),
            },
            {
              name: t`Change`,
              cell: (one) => <Remove label={removeLabel(one)} onClick={() => setRemoving(one)} />,
            },
          ]}
        />
      )}
      {isAdding && (
        <Sure
          label={t`Add a passkey`}
          error={add.error}
          onCancel={close}
          onSure={() => {
            if (add.isPending) return;
            add.mutate(
              { name: name.trim(), end_tokens: endsTokens },
              {
                onSuccess: ({ recovery_codes }) => {
                  close();
                  onCodes(recovery_codes);
                },
              },
            );
          }}
        >
          <TextInput
            label={t`Name of the passkey`}
            description={t`So that you know it again: “laptop”, for example.`}
            required
            withAsterisk={false}
            autoFocus
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <EndTokens checked={endsTokens} onChange={setEndsTokens} />
        </Sure>
      )}
      {removing && (
        <Sure
          key={removing.id}
          label={removeLabel(removing)}
          error={remove.error}
          onCancel={close}
          onSure={() => {
            if (!remove.isPending)
              remove.mutate({ id: removing.id, end_tokens: endsTokens }, { onSuccess: close });
          }}
        >
          <p>
            <Trans>
              “<bdi>{removing.name}</bdi>” will no longer sign you in. Delete it on your device,
              too.
            </Trans>
          </p>
          <EndTokens checked={endsTokens} onChange={setEndsTokens} />
        </Sure>
      )}
      {!isAdding && !removing && canAdd && (
        <div>
          <Button variant="default" onClick={() => setAdding(true)}>
            <Trans>Add a passkey</Trans>
          </Button>
        </div>
      )}
      {!canAdd && (
        <p className="soft">
          {arePossible
            ? t`This browser has no passkeys here.`
            : t`Browsers allow passkeys only where a server has a name and HTTPS.`}
        </p>
      )}
    </>
  );
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="linklike small" aria-label={label} onClick={onClick}>
      <Trans>Remove</Trans>
    </button>
  );
}
