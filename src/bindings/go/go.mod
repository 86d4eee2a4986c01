module doyen

go 1.19
