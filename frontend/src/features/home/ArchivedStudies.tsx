import { plural } from "@lingui/core/macro";
import { Link } from "react-router";
import { useArchivedStudies } from "~/api/studies";

/** Archived studies, for people who run studies. */
export default function ArchivedStudies() {
  const archived = useArchivedStudies().data?.filter(({ role }) => role !== "expert") ?? [];
  if (archived.length === 0) return null;
  return (
    <details>
      <summary>
        {plural(archived.length, { one: "# archived study", other: "# archived studies" })}
      </summary>
      <ul>
        {archived.map(({ slug, title }) => (
          <li key={slug}>
            <Link to={`/studies/${slug}/design`}>{title}</Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
