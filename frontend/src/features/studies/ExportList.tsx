import { Download } from "~/components/Download";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/Table";
import { useExports } from "./calls";

/** The formats in which the answers can be taken away. Each download is noted in the event log. */
export function ExportList({ slug }: { slug: string }) {
  const formats = useExports(slug);
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
  return (
    <Table
      caption="Formats of the answers"
      rows={formats.data}
      keyOf={(format) => format.name}
      empty="There is no format to export to."
      columns={[
        { name: "Format", heads: true, cell: (format) => format.title },
        { name: "What it holds", cell: (format) => format.description },
        {
          name: "File",
          cell: (format) => (
            <Download href={`/api/v1/studies/${slug}/exports/${format.name}/`}>
              Download&nbsp;(ZIP)
            </Download>
          ),
        },
      ]}
    />
  );
}
