module doyen/test

go 1.19

require doyen v0.0.0

replace doyen => ../../../src/bindings/go
