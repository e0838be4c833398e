import { Link, useParams } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { useText } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import classes from "./Datasets.module.css";
import { byShare, percent } from "./words";

/** One text, whole: what people said, and what every system predicts, the closest first. */
export default function TextTab() {
  const dataset = useLoadedDataset();
  const position = Number(useParams().position);
  const text = useText(dataset.slug, position);
  if (text.error) return <ErrorNotice title="The text cannot be shown" error={text.error} />;
  if (!text.data) return <Loading />;
  const { external_id, segments, annotations, predictions, shares, people, disagreement } =
    text.data;
  return (
    <>
      <p className={classes.buttons}>
        <Link to={`/datasets/${dataset.slug}`}>All texts</Link>
        {position > 0 && (
          <Link to={`/datasets/${dataset.slug}/texts/${position - 1}`}>Previous text</Link>
        )}
        {position + 1 < dataset.instances && (
          <Link to={`/datasets/${dataset.slug}/texts/${position + 1}`}>Next text</Link>
        )}
      </p>
      <Section title={`Text ${external_id}`}>
        {segments === null && <p>This text is withdrawn: it identifies a person.</p>}
        <div className={classes.segments} dir={text.data.direction} lang={text.data.language}>
          {segments?.map((segment) => (
            <div key={segment.name}>
              {segment.name && <strong>{segment.name}</strong>}
              <p className={classes.whole}>{segment.text}</p>
            </div>
          ))}
        </div>
      </Section>
      {disagreement !== null && (
        <Section title="Distributions">
          <p className="soft">
            Disagreement {disagreement.toFixed(2)} of 1. “Off by” is the distance of a prediction
            from what people said: 0 is the same, 1 as far as can be.
          </p>
          <div className={classes.sources}>
            <Source
              name={people === null ? "People" : `People (${people})`}
              detail="What was said"
              shares={shares}
            />
            {predictions.map((prediction) => (
              <Source
                key={prediction.system}
                name={prediction.system}
                detail={
                  prediction.distance === null
                    ? "Predicts nothing for this text"
                    : `Off by ${prediction.distance.toFixed(2)}`
                }
                shares={prediction.shares ?? {}}
              />
            ))}
          </div>
        </Section>
      )}
      {annotations.length > 0 && (
        <Section title="Every annotation">
          <Table
            caption="Every annotation"
            rows={annotations}
            keyOf={(_, place) => place}
            columns={[
              { name: "Annotator", heads: true, cell: ({ annotator }) => annotator || "Not known" },
              { name: "Labels", cell: ({ labels }) => labels.join("; ") || "None" },
              { name: "People", numeric: true, cell: ({ count }) => count },
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
