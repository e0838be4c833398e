import { Button, Checkbox, Modal, NativeSelect, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { type ExportFilters, useFormats, useMakeFile } from "./calls";
import classes from "./Export.module.css";
import { EVERYTHING, followed } from "./filters";

const SCOPES = (what: string) => [
  { value: "include", label: `With ${what}` },
  { value: "exclude", label: `Without ${what}` },
  { value: "only", label: `Only ${what}` },
];

/** What to export, narrowed as somebody wants it; a worker then writes the file. */
export function ExportForm({ slug, isAdmin }: { slug: string; isAdmin: boolean }) {
  const formats = useFormats(slug);
  const make = useMakeFile(slug);
  const [name, setName] = useState("csv");
  const [wanted, setWanted] = useState<ExportFilters>(EVERYTHING);
  const [asksAboutNames, setAsksAboutNames] = useState(false);
  if (formats.error) {
    return (
      <ErrorNotice
        title="The formats cannot be listed"
        error={formats.error}
        onRetry={() => void formats.refetch()}
      />
    );
  }
  if (!formats.data) return <Loading />;
  const format = formats.data.find((one) => one.name === name) ?? formats.data[0];
  if (!format) return <p className="soft">There is no format to export to.</p>;
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
        label="Format"
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
              description={one.description + (one.read_by ? ` Read by: ${one.read_by}.` : "")}
            />
          ))}
        </div>
      </Radio.Group>
      {format.filters.length === 0 && (
        <p className="soft">This format always holds all answers, so there is nothing to filter.</p>
      )}
      <div className={classes.filters}>
        {follows("pilot") && (
          <NativeSelect
            label="Pilot"
            value={filters.pilot}
            onChange={(event) =>
              change({ pilot: event.currentTarget.value as ExportFilters["pilot"] })
            }
            data={SCOPES("the pilot")}
          />
        )}
        {follows("simulated") && (
          <NativeSelect
            label="Simulated experts"
            value={filters.simulated}
            onChange={(event) =>
              change({ simulated: event.currentTarget.value as ExportFilters["simulated"] })
            }
            data={SCOPES("simulated experts")}
          />
        )}
        {follows("revisions") && (
          <NativeSelect
            label="Changed answers"
            value={filters.revisions}
            onChange={(event) =>
              change({ revisions: event.currentTarget.value as ExportFilters["revisions"] })
            }
            data={[
              { value: "last", label: "Only what counts now" },
              { value: "all", label: "Also every earlier version" },
            ]}
          />
        )}
        {follows("from") && (
          <TextInput
            type="date"
            label="Answered from"
            value={filters.from ?? ""}
            max={filters.to ?? undefined}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
        )}
        {follows("to") && (
          <TextInput
            type="date"
            label="Answered up to"
            value={filters.to ?? ""}
            min={filters.from ?? undefined}
            onChange={(event) => change({ to: event.currentTarget.value || null })}
          />
        )}
      </div>
      {isAdmin && follows("identified") && (
        <Checkbox
          label="With the experts’ names and e-mail addresses"
          description="In a file of their own, people.csv. The table itself knows experts by number only."
          checked={filters.identified}
          onChange={(event) => change({ identified: event.currentTarget.checked })}
        />
      )}
      {make.error && <ErrorNotice title="No file is made" error={make.error} />}
      <div>
        <Button type="submit" disabled={make.isPending}>
          Make the file
        </Button>
      </div>
      <Modal
        opened={asksAboutNames}
        onClose={() => setAsksAboutNames(false)}
        title="Export names and e-mail addresses"
      >
        <p>
          The file will tell who gave which answer. The event log will say that you made it, and
          each time that somebody takes it. Check that your consent form allows this.
        </p>
        <div className={classes.buttons}>
          <Button onClick={go} data-autofocus>
            Make the file with names
          </Button>
          <Button variant="default" onClick={() => setAsksAboutNames(false)}>
            Cancel
          </Button>
        </div>
      </Modal>
    </form>
  );
}
