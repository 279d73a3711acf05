/** A stand-in for the part of testcontainers for Node that the example uses. */
export const NODE_STAND_IN = `
declare module 'testcontainers' {
  export interface StartedTestContainer { getHost(): string; getMappedPort(port: number): number; stop(): Promise<unknown> }
  export class GenericContainer {
    constructor(image: string);
    withEnvironment(environment: Record<string, string>): this;
    withExposedPorts(...ports: number[]): this;
    withWaitStrategy(strategy: { readonly isWaitStrategy: true }): this;
    start(): Promise<StartedTestContainer>;
  }
  export const Wait: { forHealthCheck(): { readonly isWaitStrategy: true } };
}
`;

/** Stand-ins for the parts of JUnit and Testcontainers that the example uses, by the paths of their sources. */
export const JAVA_STAND_INS = {
  'org/junit/jupiter/api/Test.java': 'package org.junit.jupiter.api; public @interface Test {}',
  'org/junit/jupiter/api/Assertions.java':
    'package org.junit.jupiter.api; public class Assertions { public static void assertEquals(int a, int b) {} }',
  'org/testcontainers/containers/wait/strategy/WaitStrategy.java':
    'package org.testcontainers.containers.wait.strategy; public interface WaitStrategy {}',
  'org/testcontainers/containers/wait/strategy/Wait.java':
    'package org.testcontainers.containers.wait.strategy; public class Wait { public static WaitStrategy forHealthcheck() { return null; } }',
  'org/testcontainers/containers/GenericContainer.java': `package org.testcontainers.containers;
    import org.testcontainers.containers.wait.strategy.WaitStrategy;
    public class GenericContainer<SELF extends GenericContainer<SELF>> implements AutoCloseable {
      public GenericContainer(String image) {}
      public SELF withEnv(String name, String value) { return null; }
      public SELF withExposedPorts(Integer... ports) { return null; }
      public SELF waitingFor(WaitStrategy strategy) { return null; }
      public void start() {}
      public String getHost() { return null; }
      public Integer getMappedPort(int port) { return null; }
      @Override public void close() {}
    }`,
};
