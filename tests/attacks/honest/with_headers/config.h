#ifndef CONFIG_H
#define CONFIG_H
#define THREADS 256
#endif
