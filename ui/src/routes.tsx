import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { basePath } from './api/base.js';
import { resumeActing } from './api/persona.js';
import { sessionStore, switchTeam } from './api/session.js';
import { useStore } from './kit/store.js';
import { ArchivesPage } from './chat/archives-page.js';
import { ChatPage } from './chat/chat-page.js';
import { SearchPage } from './chat/search-page.js';
import { Skeleton } from './kit/misc.js';
import { Toasts } from './kit/toasts.js';
import { FaultBoundary } from './shell/fault-boundary.js';
import { Overlays } from './shell/overlays.js';
import { Shell } from './shell/shell.js';
import { SignInPage } from './sign-in/sign-in-page.js';

const Inspect = lazy(() => import('./inspect/inspect-page.js').then(({ InspectPage }) => ({ default: InspectPage })));
const Apps = lazy(() => import('./apps/apps-page.js').then(({ AppsPage }) => ({ default: AppsPage })));
const Settings = lazy(() =>
  import('./settings/settings-page.js').then(({ SettingsPage }) => ({ default: SettingsPage })),
);
const Tracker = lazy(() => import('./tracker/tracker-page.js').then(({ TrackerPage }) => ({ default: TrackerPage })));
const Sandboxes = lazy(() =>
  import('./sandboxes/sandboxes-page.js').then(({ SandboxesPage }) => ({ default: SandboxesPage })),
);

/** The section of a path. */
export function Routes(): ReactNode {
  return (
    <Router base={basePath()}>
      <Gate />
      <Toasts />
    </Router>
  );
}

function Gate(): ReactNode {
  const state = useStore(sessionStore);
  const [location] = useLocation();
  if (state.kind === 'starting') return null;
  if (location === '/sign-in') return <SignInPage />;
  if (state.kind === 'out') {
    const back = location === '/' ? '' : `?to=${encodeURIComponent(location + window.location.search)}`;
    return <Redirect to={`/sign-in${back}`} replace />;
  }
  return (
    <OwnTeam>
      <Shell>
        <FaultBoundary key={sectionOf(location)}>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              <Route path="/w/:team/search" component={SearchPage} />
              {['inspect', 'deliveries', 'changes', 'faults', 'limits', 'clock'].map((view) => (
                <Route key={view} path={`/w/:team/${view}/:entry?`}>
                  <Inspect view={view} />
                </Route>
              ))}
              {['t', 'projects', 'cycles', 'inbox', 't-hooks'].map((view) => (
                <Route key={view} path={`/w/:team/${view}/:key?/:item?`}>
                  <Tracker view={view} />
                </Route>
              ))}
              <Route path="/w/:team/apps/:app?/:tab?">
                <Apps />
              </Route>
              <Route path="/w/:team/settings/:part?/:item?">
                <Settings />
              </Route>
              <Route path="/w/:team/c/:channel/t/:ts" component={ChatPage} />
              <Route path="/w/:team/c/:channel" component={ChatPage} />
              <Route path="/w/:team" component={ChatPage} />
              <Route path="/archives/:channel/:message" component={ArchivesPage} />
              <Route path="/sandboxes">
                <Sandboxes />
              </Route>
              <Route>
                <Redirect to={`/w/${state.session.team.id}`} replace />
              </Route>
            </Switch>
          </Suspense>
        </FaultBoundary>
        <Overlays />
      </Shell>
    </OwnTeam>
  );
}

/** An error in one section does not affect the next. All conversations are one section. */
const sectionOf = (location: string): string =>
  /^\/w\/[^/]+(\/c\/.*)?$/.test(location) ? 'chat' : (/^\/w\/[^/]+\/(\w+)/.exec(location)?.[1] ?? location);

/** Calls go to the workspace that the address names. */
function OwnTeam({ children }: { children: ReactNode }): ReactNode {
  const state = useStore(sessionStore);
  const [location, navigate] = useLocation();
  const wanted = /^\/w\/(T[0-9A-Z]+)/.exec(location)?.[1];
  const own = state.kind === 'in' ? state.session.team.id : '';
  const isOther = wanted !== undefined && wanted !== own;
  useEffect(() => {
    if (isOther) switchTeam(wanted).catch(() => navigate(`/w/${own}`, { replace: true }));
    else void resumeActing();
  }, [isOther, wanted, own, navigate]);
  return isOther ? null : children;
}
