import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { InstanceRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { type Order, useTexts } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import classes from "./Datasets.module.css";
import { Glance } from "./Glance";
import { byShare, sharesInWords } from "./words";

const PER_PAGE = 25;
const ORDERS: { value: Order; label: string }[] = [
  { value: "position", label: "As imported" },
  { value: "-disagreement", label: "Most disagreement first" },
  { value: "disagreement", label: "Least disagreement first" },
  { value: "worst", label: "Where systems fail most" },
];

/** The texts: found by words, sorted, page by page. What is wanted stands in the address. */
export default function TextsTab() {
  const dataset = useLoadedDataset();
  const [address, setAddress] = useSearchParams();
  const wanted = {
    search: address.get("search") ?? "",
    order: (address.get("order") ?? "position") as Order,
    system: address.get("system") ?? "",
    label: address.get("label") ?? "",
    page: Math.max(1, Number(address.get("page")) || 1),
  };
  const [search, setSearch] = useState(wanted.search);
  const texts = useTexts(dataset.slug, wanted);

  function want(changes: Partial<Record<keyof typeof wanted, string>>) {
    const next = new URLSearchParams(address);
    next.delete("page");
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setAddress(next, { replace: true });
  }

  function find(event: FormEvent) {
    event.preventDefault();
    want({ search: search.trim() });
  }

  const count = texts.data?.count ?? 0;
  const first = (wanted.page - 1) * PER_PAGE + 1;
  const last = Math.min(count, wanted.page * PER_PAGE);
  return (
    <>
      {dataset.labels.length > 0 && <Glance dataset={dataset} />}
      <form className={classes.filters} onSubmit={find}>
        <TextInput
          label="Find in texts"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {dataset.labels.length > 0 && (
          <>
            <NativeSelect
              label="Order"
              value={wanted.order}
              onChange={(event) => want({ order: event.currentTarget.value })}
              data={ORDERS.filter(({ value }) => value !== "worst" || dataset.systems.length > 0)}
            />
            {wanted.order === "worst" && (
              <NativeSelect
                label="System"
                value={wanted.system}
                onChange={(event) => want({ system: event.currentTarget.value })}
                data={[
                  { value: "", label: "All systems together" },
                  ...dataset.systems.map(({ name }) => name),
                ]}
              />
            )}
            <NativeSelect
              label="Label"
              value={wanted.label}
              onChange={(event) => want({ label: event.currentTarget.value })}
              data={[{ value: "", label: "Any" }, ...dataset.labels]}
            />
          </>
        )}
        <div>
          <Button type="submit" variant="default">
            Find
          </Button>
        </div>
      </form>
      {texts.error && (
        <ErrorNotice
          title="The texts cannot be shown"
          error={texts.error}
          onRetry={() => void texts.refetch()}
        />
      )}
      {texts.isPending && <Loading />}
      {texts.data && (
        <>
          <p className="soft" role="status">
            {count === 0
              ? "No text fits."
              : `${first.toLocaleString("en-GB")}–${last.toLocaleString("en-GB")} of ${count.toLocaleString("en-GB")} texts`}
          </p>
          {count > 0 && (
            <ol className={classes.texts} aria-label="Texts">
              {texts.data.results.map((text) => (
                <TextRow
                  key={text.position}
                  slug={dataset.slug}
                  text={text}
                  parts={dataset.task !== "multilabel"}
                />
              ))}
            </ol>
          )}
          <Pager
            page={wanted.page}
            isLast={!texts.data.next}
            onPage={(page) => want({ page: String(page) })}
          />
        </>
      )}
    </>
  );
}

function TextRow({ slug, text, parts }: { slug: string; text: InstanceRow; parts: boolean }) {
  const { disagreement, distance, people } = text;
  return (
    <li className={classes.row}>
      <div>
        <Link to={`/datasets/${slug}/texts/${text.position}`}>{text.external_id}</Link>
        <div dir={text.direction} lang={text.language}>
          {text.segments?.map((segment) => (
            <p key={segment.name}>
              {segment.name && <span className="soft">{segment.name}: </span>}
              {segment.text}
            </p>
          ))}
        </div>
        {text.withdrawn && <p className="soft">Withdrawn: the text identifies a person.</p>}
      </div>
      {disagreement !== null && (
        <div className="small">
          {parts && (
            <div className={classes.stack} aria-hidden="true">
              {byShare(text.shares).map(([label, share]) => (
                <span key={label} style={{ width: `${share * 100}%` }} />
              ))}
            </div>
          )}
          <p>{sharesInWords(text.shares)}</p>
          <p className="soft">
            Disagreement {disagreement.toFixed(2)}
            {people !== null && `, ${people} people`}
            {distance !== null && `; systems are off by ${distance.toFixed(2)}`}
          </p>
        </div>
      )}
    </li>
  );
}
