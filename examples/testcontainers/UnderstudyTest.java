// Java: the image as a container of the suite's own. Compiled by the tests of this repository where there is a javac,
// against stand-ins for the two libraries; not run.
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

class UnderstudyTest {
  private static final String ADMIN_TOKEN = "a-token-of-this-suite-alone";

  @Test
  void aSandboxOfTheContainer() throws Exception {
    try (GenericContainer<?> understudy =
        new GenericContainer<>("ghcr.io/acme/understudy:0.1.0")
            .withEnv("SVC_ADMIN_TOKEN", ADMIN_TOKEN)
            .withEnv("SVC_DATA_DIR", "memory")
            .withExposedPorts(3000)
            // the image's HEALTHCHECK; Wait.forHttp("/api/health") does as well
            .waitingFor(Wait.forHealthcheck())) {
      understudy.start();
      String base = "http://" + understudy.getHost() + ":" + understudy.getMappedPort(3000);
      HttpRequest create =
          HttpRequest.newBuilder(URI.create(base + "/api/sandboxes"))
              .header("X-Admin-Token", ADMIN_TOKEN)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{\"users\":[{\"name\":\"alice\"}]}"))
              .build();
      HttpResponse<String> made = HttpClient.newHttpClient().send(create, HttpResponse.BodyHandlers.ofString());
      // its credentials are the environment of the app under test: SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET and so on
      assertEquals(201, made.statusCode());
    }
  }
}
