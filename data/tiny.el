# The tiny graph of data/README.md: from to weight, ids from 0.
0 1 7
0 2 2
0 4 20
1 3 0
2 1 3
2 3 9
3 4 1
4 2 4
5 0 6
5 4 30
