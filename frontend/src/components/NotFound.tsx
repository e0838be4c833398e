import { Link } from "react-router";
import { Page } from "./Page";

export function NotFound() {
  return (
    <Page title="Page not found">
      <p>There is nothing at this address, or you may not see it.</p>
      <p>
        <Link to="/">Go to my studies</Link>
      </p>
    </Page>
  );
}
