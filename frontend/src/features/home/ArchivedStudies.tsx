import { Link } from "react-router";
import { useArchivedStudies } from "~/api/studies";
import { counted } from "~/components/words";

/** Studies that were put away, for who runs studies. In English, as all such pages. */
export default function ArchivedStudies() {
  const archived = useArchivedStudies().data?.filter(({ role }) => role !== "expert") ?? [];
  if (archived.length === 0) return null;
  return (
    <details lang="en" dir="ltr">
      <summary>{counted(archived.length, "archived study", "archived studies")}</summary>
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
