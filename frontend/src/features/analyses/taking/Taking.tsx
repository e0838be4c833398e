import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal, NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Run } from "~/api/types";
import { AS_STORED } from "~/components/AsStored";
import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { CopyButton } from "~/components/inviting/CopyButton";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { useCitation } from "../calls";
import { figureInWords } from "../result";
import classes from "./Taking.module.css";

/** Everything that can be exported from a result, in one place: figures, tables, all of it, and how to cite it. */
export function Taking({ run }: { run: Run }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button onClick={() => setOpened(true)}>
        <Trans>Download and cite</Trans>
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t`Download and cite`}
        size="lg"
      >
        <div className={classes.parts}>
          {run.figures.length > 0 && <FigureFiles run={run} />}
          <TableFiles run={run} />
          <Cite id={run.id} enabled={opened} />
        </div>
      </Modal>
    </>
  );
}

const sizes = () => [
  { value: "two", label: t`Two columns of a paper (175 mm)` },
  { value: "one", label: t`One column of a paper (84 mm)` },
  { value: "screen", label: t`As on this page` },
];

const figureFormats = () =>
  [
    ["svg", "SVG"],
    ["pdf", "PDF"],
    ["png", "PNG"],
    ["txt", t`Caption and description`],
    ["csv", t`Data (CSV)`],
    ["json", "Vega-Lite"],
  ] as const;

function FigureFiles({ run }: { run: Run }) {
  const { id, figures: names } = run;
  const [name, setName] = useState(names[0] ?? "");
  const [size, setSize] = useState("two");
  return (
    <Section title={t`Figures`}>
      <div className={classes.choices}>
        {names.length > 1 && (
          <NativeSelect
            label={t`Figure`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data={names.map((one) => ({
              value: one,
              label: figureInWords(one, run.figure_titles),
            }))}
          />
        )}
        <NativeSelect
          label={t`Size`}
          value={size}
          onChange={(event) => setSize(event.currentTarget.value)}
          data={sizes()}
        />
      </div>
      <p className={classes.files}>
        {figureFormats().map(([format, label]) => (
          <Download
            key={format}
            href={`/api/v1/runs/${id}/figures/${name}/?format=${format}&size=${size}`}
          >
            {label}
          </Download>
        ))}
      </p>
    </Section>
  );
}

const FORMATS = [
  ["csv", "CSV"],
  ["latex", "LaTeX"],
  ["markdown", "Markdown"],
  ["json", "JSON"],
] as const;

function TableFiles({ run }: { run: Run }) {
  const tables = run.result?.tables ?? [];
  const [name, setName] = useState(tables[0]?.name ?? "");
  return (
    <Section title={t`Tables and the complete result`}>
      <NativeSelect
        label={t`Table`}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data={tables.map((table) => ({ value: table.name, label: table.title }))}
      />
      <p className={classes.files}>
        {FORMATS.map(([format, label]) => (
          <Download key={format} href={`/api/v1/runs/${run.id}/tables/${name}/?format=${format}`}>
            {label}
          </Download>
        ))}
      </p>
      <p className={classes.files}>
        <a
          href={`/api/v1/runs/${run.id}/`}
          download={`${run.analysis}-${run.number ?? "result"}.json`}
        >
          <Trans>The complete result with all numbers (JSON)</Trans>
        </a>
      </p>
    </Section>
  );
}

function Cite({ id, enabled }: { id: string; enabled: boolean }) {
  const citation = useCitation(id, enabled);
  return (
    <Section title={t`Cite this result`}>
      {citation.error && (
        <ErrorNotice
          title={t`The citation could not be loaded`}
          error={citation.error}
          onRetry={() => void citation.refetch()}
        />
      )}
      {citation.isPending && <Loading />}
      {citation.data && (
        <>
          <p {...AS_STORED} className={classes.cited}>
            {citation.data.text}
          </p>
          <div className={classes.copy}>
            <CopyButton text={citation.data.text} label={t`Copy`} spoken={t`Copy the reference`} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section dir="ltr" aria-label="BibTeX" tabIndex={0} className={classes.bibtex}>
            <pre>{citation.data.bibtex}</pre>
          </section>
          <div className={classes.copy}>
            <CopyButton
              text={citation.data.bibtex}
              label={t`Copy`}
              spoken={t`Copy the BibTeX entry`}
            />
          </div>
          {citation.data.works.length > 0 && (
            <>
              <h3>
                <Trans>Methods used</Trans>
              </h3>
              <ul {...AS_STORED} className={classes.works}>
                {citation.data.works.map((work) => (
                  <li key={work}>{work}</li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Section>
  );
}
