import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link, useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Erase } from "~/components/erasing/Erase";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { decimals, percent } from "~/languages/formats";
import { useText } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import classes from "./Datasets.module.css";
import { byShare } from "./words";

/** One text in full: what people said, and what every system predicts, closest first. */
export default function TextTab() {
  const dataset = useLoadedDataset();
  const position = Number(useParams().position);
  const text = useText(dataset.slug, position);
  if (text.error) return <ErrorNotice title={t`The text could not be loaded`} error={text.error} />;
  if (!text.data) return <Loading />;
  const { external_id, segments, annotations, predictions, shares, people, disagreement } =
    text.data;
  const amount = disagreement === null ? "" : decimals(disagreement);
  return (
    <>
      <p className={classes.buttons}>
        <Link to={`/datasets/${dataset.slug}`}>
          <Trans>All texts</Trans>
        </Link>
        {position > 0 && (
          <Link to={`/datasets/${dataset.slug}/texts/${position - 1}`}>
            <Trans>Previous text</Trans>
          </Link>
        )}
        {position + 1 < dataset.instances && (
          <Link to={`/datasets/${dataset.slug}/texts/${position + 1}`}>
            <Trans>Next text</Trans>
          </Link>
        )}
      </p>
      <Section title={t`Text ${external_id}`}>
        {segments === null && (
          <p>
            <Trans>This text is withdrawn: it identifies a person.</Trans>
          </p>
        )}
        <div className={classes.segments} dir={text.data.direction} lang={text.data.language}>
          {segments?.map((segment) => (
            <div key={segment.name}>
              {segment.name && <strong>{segment.name}</strong>}
              <p className={classes.whole}>{segment.text}</p>
            </div>
          ))}
        </div>
        <div>
          <Erase target={{ what: "text", dataset: dataset.slug, position }} name={external_id} />
        </div>
      </Section>
      {disagreement !== null && (
        <Section title={t`Distributions`}>
          <p className="soft">
            <Trans>
              Disagreement: {amount} out of 1. “Off by” is the distance between a prediction and the
              human distribution: 0 means identical, 1 is the largest possible.
            </Trans>
          </p>
          <div className={classes.sources}>
            <Source
              name={people === null ? t`People` : t`People (${people})`}
              detail={t`Human distribution`}
              shares={shares}
            />
            {predictions.map((prediction) => (
              <Source
                key={prediction.system}
                name={prediction.system}
                detail={
                  prediction.distance === null
                    ? t`Predicts nothing for this text`
                    : t`Off by ${decimals(prediction.distance)}`
                }
                shares={prediction.shares ?? {}}
              />
            ))}
          </div>
        </Section>
      )}
      {annotations.length > 0 && (
        <Section title={t`Every annotation`}>
          <Table
            caption={t`Every annotation`}
            rows={annotations}
            keyOf={(_, place) => place}
            columns={[
              {
                name: t`Annotator`,
                heads: true,
                cell: ({ annotator }) => annotator || t`Not known`,
              },
              { name: t`Labels`, cell: ({ labels }) => labels.join("; ") || t`None` },
              { name: t`People`, numeric: true, cell: ({ count }) => count },
            ]}
          />
        </Section>
      )}
    </>
  );
}

type SourceProps = { name: string; detail: string; shares: Record<string, number> };

function Source({ name, detail, shares }: SourceProps) {
  return (
    <div className={classes.source}>
      <h3>{name}</h3>
      <span className="soft small">{detail}</span>
      <ul className={classes.bars}>
        {byShare(shares).map(([label, share]) => (
          <li key={label}>
            <span>{label}</span>
            <span className={classes.bar} aria-hidden="true">
              <span style={{ width: `${share * 100}%` }} />
            </span>
            <span>{percent(share)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
