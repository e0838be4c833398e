import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Modal, NativeSelect, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { type ExportFilters, type ExportFormat, useFormats, useMakeFile } from "./calls";
import classes from "./Export.module.css";
import { EVERYTHING, followed, PILOT, SIMULATED } from "./filters";

const SCOPES = ["include", "exclude", "only"] as const;

/** What to export, with filters; a worker then writes the file. */
export function ExportForm({ slug, isAdmin }: { slug: string; isAdmin: boolean }) {
  const { t } = useLingui();
  const formats = useFormats(slug);
  const make = useMakeFile(slug);
  const [name, setName] = useState("csv");
  const [wanted, setWanted] = useState<ExportFilters>(EVERYTHING);
  const [asksAboutNames, setAsksAboutNames] = useState(false);
  if (formats.error) {
    return (
      <ErrorNotice
        title={t`The formats could not be loaded`}
        error={formats.error}
        onRetry={() => void formats.refetch()}
      />
    );
  }
  if (!formats.data) return <Loading />;
  const format = formats.data.find((one) => one.name === name) ?? formats.data[0];
  if (!format) {
    return (
      <p className="soft">
        <Trans>There is no export format.</Trans>
      </p>
    );
  }
  const filters = followed(wanted, format.filters);
  const change = (changed: Partial<ExportFilters>) => {
    make.reset();
    setWanted({ ...wanted, ...changed });
  };
  const go = () => {
    setAsksAboutNames(false);
    make.mutate({ format: format.name, filters });
  };
  const follows = (filter: keyof ExportFilters) => format.filters.includes(filter);

  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (filters.identified) setAsksAboutNames(true);
        else go();
      }}
    >
      <Radio.Group
        label={t`Format`}
        value={format.name}
        onChange={(chosen) => {
          make.reset();
          setName(chosen);
        }}
      >
        <div className={classes.formats}>
          {formats.data.map((one) => (
            <Radio
              key={one.name}
              value={one.name}
              label={one.title}
              description={<About format={one} />}
            />
          ))}
        </div>
      </Radio.Group>
      {format.filters.length === 0 && (
        <p className="soft">
          <Trans>This format always contains all answers, so there is nothing to filter.</Trans>
        </p>
      )}
      <div className={classes.filters}>
        {follows("pilot") && (
          <NativeSelect
            label={t`Pilot`}
            value={filters.pilot}
            onChange={(event) =>
              change({ pilot: event.currentTarget.value as ExportFilters["pilot"] })
            }
            data={SCOPES.map((value) => ({ value, label: t(PILOT[value]) }))}
          />
        )}
        {follows("simulated") && (
          <NativeSelect
            label={t`Simulated experts`}
            value={filters.simulated}
            onChange={(event) =>
              change({ simulated: event.currentTarget.value as ExportFilters["simulated"] })
            }
            data={SCOPES.map((value) => ({ value, label: t(SIMULATED[value]) }))}
          />
        )}
        {follows("revisions") && (
          <NativeSelect
            label={t`Changed answers`}
            value={filters.revisions}
            onChange={(event) =>
              change({ revisions: event.currentTarget.value as ExportFilters["revisions"] })
            }
            data={[
              { value: "last", label: t`Latest version only` },
              { value: "all", label: t`All versions` },
            ]}
          />
        )}
        {follows("from") && (
          <TextInput
            type="date"
            label={t`Answered from`}
            value={filters.from ?? ""}
            max={filters.to ?? undefined}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
        )}
        {follows("to") && (
          <TextInput
            type="date"
            label={t`Answered up to`}
            value={filters.to ?? ""}
            min={filters.from ?? undefined}
            onChange={(event) => change({ to: event.currentTarget.value || null })}
          />
        )}
      </div>
      {isAdmin && follows("identified") && (
        <Checkbox
          label={t`Include the experts’ names and e-mail addresses`}
          description={t`In a separate file, people.csv. The table itself identifies experts only by number.`}
          checked={filters.identified}
          onChange={(event) => change({ identified: event.currentTarget.checked })}
        />
      )}
      {make.error && <ErrorNotice title={t`The file was not created`} error={make.error} />}
      <div>
        <Button type="submit" disabled={make.isPending}>
          <Trans>Create the file</Trans>
        </Button>
      </div>
      <Modal
        opened={asksAboutNames}
        onClose={() => setAsksAboutNames(false)}
        title={t`Export names and e-mail addresses`}
      >
        <p>
          <Trans>
            The file will show who gave which answer. The history will record that you created it,
            and every download. Check that your consent form allows this.
          </Trans>
        </p>
        <div className={classes.buttons}>
          <Button onClick={go} data-autofocus>
            <Trans>Create the file with names</Trans>
          </Button>
          <Button variant="default" onClick={() => setAsksAboutNames(false)}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </Modal>
    </form>
  );
}

function About({ format: { description, read_by: programs } }: { format: ExportFormat }) {
  return (
    <>
      {description}{" "}
      {programs && (
        <Trans>
          Can be read by: <bdi>{programs}</bdi>.
        </Trans>
      )}
    </>
  );
}
