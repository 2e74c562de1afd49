/* Prints for each argument a line: it, a tab, and what the resolver of the C library finds. `ptr:ADDRESS` asks for its name. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void print_error(int code) {
  if (code == EAI_NONAME)
    printf("nothing");
  else
    printf("error %d: %s", code, gai_strerror(code));
}

static void addresses(const char *name) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  int code = getaddrinfo(name, NULL, &hints, &found);
  if (code != 0) {
    print_error(code);
    return;
  }
  for (struct addrinfo *one = found; one != NULL; one = one->ai_next) {
    char text[INET6_ADDRSTRLEN];
    const void *address = one->ai_family == AF_INET ? (void *)&((struct sockaddr_in *)one->ai_addr)->sin_addr
                                                    : (void *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr;
    inet_ntop(one->ai_family, address, text, sizeof text);
    printf("%s%s", one == found ? "" : " ", text);
  }
  freeaddrinfo(found);
}

static void name_of(const char *address) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
  struct addrinfo *found = NULL;
  char host[NI_MAXHOST];
  int code = getaddrinfo(address, NULL, &hints, &found);
  if (code == 0) {
    code = getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0, NI_NAMEREQD);
    freeaddrinfo(found);
  }
  if (code == 0)
    printf("%s", host);
  else
    print_error(code);
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    printf("%s\t", arguments[i]);
    if (strncmp(arguments[i], "ptr:", 4) == 0)
      name_of(arguments[i] + 4);
    else
      addresses(arguments[i]);
    printf("\n");
  }
  return 0;
}
