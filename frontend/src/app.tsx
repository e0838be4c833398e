import { useLingui } from "@lingui/react/macro";
import { MantineThemeProvider } from "@mantine/core";
import { Suspense, useMemo } from "react";
import { BrowserRouter, Navigate, Route, Routes } from "react-router";
import { ForWhoMay } from "./components/ForWhoMay";
import { Loading } from "./components/Loading";
import { NotFound } from "./components/NotFound";
import { RequireUser } from "./components/RequireUser";
import { AnnotatePage } from "./features/annotate/AnnotatePage";
import { forEverybody, forResearchers } from "./languages/researchers";

// What the first text needs is loaded at once; other pages are fetched when somebody opens them.
const HomePage = forEverybody(() => import("./features/home/HomePage"));
const LoginPage = forEverybody(() => import("./features/session/LoginPage"));
const InvitationPage = forEverybody(() => import("./features/arriving/InvitationPage"));
const PracticePage = forEverybody(() => import("./features/annotate/practice/PracticePage"));
const OwnAnswersPage = forEverybody(() => import("./features/annotate/lookingBack/OwnAnswersPage"));
const OwnAnswerPage = forEverybody(() => import("./features/annotate/lookingBack/OwnAnswerPage"));
const PreviewPage = forResearchers(() => import("./features/annotate/preview/PreviewPage"));
const ProviderPage = forEverybody(() => import("./features/session/ProviderPage"));
const AccountPage = forEverybody(() => import("./features/account/AccountPage"));
const TurnOnFirst = forEverybody(() => import("./features/account/TurnOnFirst"));
const DemoPage = forResearchers(() => import("./features/demo/DemoPage"));
const StudyWorkspace = forResearchers(() => import("./features/studies/workspace/StudyWorkspace"));
const OverviewTab = forResearchers(() => import("./features/studies/overview/OverviewTab"));
const NewStudyPage = forResearchers(() => import("./features/studies/design/NewStudyPage"));
const DesignTab = forResearchers(() => import("./features/studies/design/DesignTab"));
const PeopleTab = forResearchers(() => import("./features/studies/people/PeopleTab"));
const AssignmentsTab = forResearchers(
  () => import("./features/studies/assignments/AssignmentsTab"),
);
const ProblemsTab = forResearchers(() => import("./features/studies/problems/ProblemsTab"));
const ResultsTab = forResearchers(() => import("./features/analyses/ResultsTab"));
const ExportTab = forResearchers(() => import("./features/studies/export/ExportTab"));
const HistoryTab = forResearchers(() => import("./features/studies/history/HistoryTab"));
const DatasetAnalysesPage = forResearchers(() =>
  import("./features/analyses/AnalysesPage").then((pages) => ({
    default: pages.DatasetAnalysesPage,
  })),
);
const FreeAnalysesPage = forResearchers(() =>
  import("./features/analyses/AnalysesPage").then((pages) => ({ default: pages.FreeAnalysesPage })),
);
const RunPage = forResearchers(() => import("./features/analyses/RunPage"));
const ComparisonPage = forResearchers(() => import("./features/analyses/comparing/ComparisonPage"));
const SystemLayout = forResearchers(() => import("./features/system/SystemLayout"));
const SystemPeopleTab = forResearchers(() => import("./features/system/SystemPeopleTab"));
const HealthTab = forResearchers(() => import("./features/system/HealthTab"));
const TokensPage = forResearchers(() => import("./features/tokens/TokensPage"));
const ImportsPage = forResearchers(() => import("./features/datasets/imports/ImportsPage"));
const ImportPage = forResearchers(() => import("./features/datasets/imports/ImportPage"));
const DatasetsPage = forResearchers(() => import("./features/datasets/DatasetsPage"));
const DatasetLayout = forResearchers(() => import("./features/datasets/DatasetLayout"));
const TextsTab = forResearchers(() => import("./features/datasets/TextsTab"));
const TextTab = forResearchers(() => import("./features/datasets/TextTab"));
const LabelsTab = forResearchers(() => import("./features/datasets/LabelsTab"));
const SystemsTab = forResearchers(() => import("./features/datasets/SystemsTab"));
const ImportTab = forResearchers(() => import("./features/datasets/ImportTab"));
const TrainingsTab = forResearchers(() => import("./features/datasets/trainings/TrainingsTab"));
const NewTrainingTab = forResearchers(() => import("./features/datasets/trainings/NewTrainingTab"));
const TrainingPage = forResearchers(() => import("./features/datasets/trainings/TrainingPage"));
const UsesTab = forResearchers(() => import("./features/datasets/UsesTab"));

const turnOnFirst = <TurnOnFirst />;

export function App() {
  // Everything is rendered again when the language changes, even what calls `t` outside a component.
  const { t } = useLingui();
  const theme = useMemo(
    () => ({
      components: { Modal: { defaultProps: { closeButtonProps: { "aria-label": t`Close` } } } },
    }),
    [t],
  );
  return (
    <MantineThemeProvider inherit theme={theme}>
      <Pages />
    </MantineThemeProvider>
  );
}

function Pages() {
  // A page goes away as soon as the address changes. As a transition it would stay until the next is rendered, or even
  // fetched, with links that can still be clicked.
  return (
    <BrowserRouter useTransitions={false}>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route path="/login/provider" element={<ProviderPage />} />
          <Route path="/demo" element={<DemoPage />} />
          <Route path="/invitation" element={<InvitationPage />} />
          <Route element={<RequireUser turnOn={turnOnFirst} />}>
            <Route index element={<HomePage />} />
            {/* In the person's own language, which is chosen there; experts come here too. */}
            <Route path="/account" element={<AccountPage />} />
            <Route path="/studies/:slug/annotate" element={<AnnotatePage />} />
            <Route path="/studies/:slug/answers" element={<OwnAnswersPage />} />
            <Route path="/studies/:slug/answers/:token" element={<OwnAnswerPage />} />
            <Route path="/studies/:slug/practice" element={<PracticePage />} />
            {/* In the study's language, as experts will read it. */}
            <Route path="/studies/:slug/preview/:part?" element={<PreviewPage />} />
            <Route element={<ForWhoMay do="can_create_studies" />}>
              <Route path="/studies/new" element={<NewStudyPage />} />
            </Route>
            <Route path="/studies/:slug" element={<StudyWorkspace />}>
              <Route index element={<OverviewTab />} />
              <Route path="design/:step?" element={<DesignTab />} />
              <Route path="people" element={<PeopleTab />} />
              <Route path="assignments" element={<AssignmentsTab />} />
              <Route path="problems" element={<ProblemsTab />} />
              <Route path="results" element={<ResultsTab />} />
              <Route path="export" element={<ExportTab />} />
              <Route path="history" element={<HistoryTab />} />
              {/* Former addresses, so that old links and bookmarks keep working. */}
              <Route path="reports" element={<Navigate to="../problems" replace />} />
              <Route path="analyses" element={<Navigate to="../results" replace />} />
              <Route path="events" element={<Navigate to="../history" replace />} />
            </Route>
            <Route path="/datasets" element={<DatasetsPage />} />
            <Route path="/datasets/:slug" element={<DatasetLayout />}>
              <Route index element={<TextsTab />} />
              <Route path="texts/:position" element={<TextTab />} />
              <Route path="labels" element={<LabelsTab />} />
              <Route path="systems" element={<SystemsTab />} />
              <Route path="import" element={<ImportTab />} />
              <Route path="trainings" element={<TrainingsTab />} />
              <Route path="trainings/new" element={<NewTrainingTab />} />
              <Route path="uses" element={<UsesTab />} />
            </Route>
            <Route path="/trainings/:id" element={<TrainingPage />} />
            <Route path="/datasets/:slug/analyses" element={<DatasetAnalysesPage />} />
            <Route path="/analyses" element={<FreeAnalysesPage />} />
            <Route path="/runs/:id" element={<RunPage />} />
            <Route path="/runs/:id/compare/:other" element={<ComparisonPage />} />
            <Route path="/studies/:slug/results/:analysis/:number" element={<RunPage />} />
            <Route
              path="/studies/:slug/results/:analysis/:number/compare/:earlier"
              element={<ComparisonPage />}
            />
            <Route element={<ForWhoMay do="can_import" />}>
              <Route path="/imports/:id" element={<ImportPage />} />
              <Route path="/imports" element={<ImportsPage />} />
            </Route>
            <Route path="/tokens" element={<TokensPage />} />
            <Route element={<ForWhoMay do="is_admin" />}>
              <Route path="/system" element={<SystemLayout />}>
                <Route index element={<Navigate to="people" replace />} />
                <Route path="people" element={<SystemPeopleTab />} />
                <Route path="health" element={<HealthTab />} />
              </Route>
            </Route>
          </Route>
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </BrowserRouter>
  );
}
